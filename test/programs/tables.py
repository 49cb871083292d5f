"""Dynamic programming over tables."""

from __future__ import annotations

import numpy as np


def longest_common_subsequence(a, b):
    """Length of the longest common subsequence of two integer strings."""
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    return table[len(a), len(b)]


def edit_distance(a, b):
    """Levenshtein distance with two rows."""
    previous = np.arange(len(b) + 1)
    for i in range(len(a)):
        current = np.empty_like(previous)
        current[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            current[j + 1] = min(previous[j] + cost, previous[j + 1] + 1, current[j] + 1)
        previous = current
    return previous[-1]


def smith_waterman(a, b, match, mismatch, gap):
    """Best local alignment: its score, and where it ends and starts."""
    score = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    best, bi, bj = 0, 0, 0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            diagonal = score[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch)
            score[i, j] = max(0, diagonal, score[i - 1, j] + gap, score[i, j - 1] + gap)
            if score[i, j] > best:
                best, bi, bj = score[i, j], i, j
    i, j = bi, bj
    while i > 0 and j > 0 and score[i, j] > 0:
        if score[i, j] == score[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch):
            i -= 1
            j -= 1
        elif score[i, j] == score[i - 1, j] + gap:
            i -= 1
        else:
            j -= 1
    return best, bi, bj, i, j


def knapsack(weights, values, capacity):
    """Best value of a 0/1 knapsack, and which items it holds."""
    n = len(weights)
    best = np.zeros((n + 1, capacity + 1), dtype=np.int64)
    for i in range(1, n + 1):
        for w in range(capacity + 1):
            best[i, w] = best[i - 1, w]
            if weights[i - 1] <= w and best[i - 1, w - weights[i - 1]] + values[i - 1] > best[i, w]:
                best[i, w] = best[i - 1, w - weights[i - 1]] + values[i - 1]
    taken = np.zeros(n, dtype=bool)
    w = capacity
    for i in range(n, 0, -1):
        if best[i, w] != best[i - 1, w]:
            taken[i - 1] = True
            w = w - weights[i - 1]
    return best[n, capacity], taken


def floyd_warshall(distance):
    """All shortest paths, written over the argument."""
    n = distance.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = distance[i, k] + distance[k, j]
                if through < distance[i, j]:
                    distance[i, j] = through


def viterbi(start, transition, emission, observed):
    """The most likely path of hidden states, from log probabilities."""
    length, states = len(observed), len(start)
    score = np.empty((length, states))
    back = np.zeros((length, states), dtype=np.int64)
    score[0] = start + emission[:, observed[0]]
    for t in range(1, length):
        for s in range(states):
            candidates = score[t - 1] + transition[:, s]
            back[t, s] = np.argmax(candidates)
            score[t, s] = candidates[back[t, s]] + emission[s, observed[t]]
    path = np.zeros(length, dtype=np.int64)
    path[-1] = np.argmax(score[-1])
    for t in range(length - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path, score[-1, path[-1]]


def coin_change(coins, amount):
    """The fewest coins that make each amount, -1 where it cannot be made."""
    unreachable = amount + 1
    fewest = np.full(amount + 1, unreachable)
    fewest[0] = 0
    for value in range(1, amount + 1):
        for coin in coins:
            if coin <= value and fewest[value - coin] + 1 < fewest[value]:
                fewest[value] = fewest[value - coin] + 1
    fewest[fewest == unreachable] = -1
    return fewest
