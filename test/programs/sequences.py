"""Scans, searches and sorts of integer sequences."""

from __future__ import annotations

import numpy as np


def run_lengths(x):
    """Run-length encoding into two arrays that are as long as the input, and the number of runs."""
    values = np.zeros_like(x)
    lengths = np.zeros(len(x), dtype=np.int64)
    runs = 0
    i = 0
    while i < len(x):
        j = i
        while j < len(x) and x[j] == x[i]:
            j += 1
        values[runs] = x[i]
        lengths[runs] = j - i
        runs += 1
        i = j
    return values, lengths, runs


def failure_table(pattern):
    """Knuth, Morris and Pratt's table of borders."""
    table = np.zeros(len(pattern), dtype=np.int64)
    k = 0
    for i in range(1, len(pattern)):
        while k > 0 and pattern[k] != pattern[i]:
            k = table[k - 1]
        if pattern[k] == pattern[i]:
            k += 1
        table[i] = k
    return table


def find_pattern(text, pattern):
    """The first place of a pattern in a text, or -1."""
    table = failure_table(pattern)
    k = 0
    for i in range(len(text)):
        while k > 0 and pattern[k] != text[i]:
            k = table[k - 1]
        if pattern[k] == text[i]:
            k += 1
        if k == len(pattern):
            return i - k + 1
    return -1


def sieve(is_prime):
    """Eratosthenes' sieve, written into an array of truth values; returns how many primes there are."""
    is_prime[:] = True
    is_prime[:2] = False
    p = 2
    while p * p < len(is_prime):
        if is_prime[p]:
            for multiple in range(p * p, len(is_prime), p):
                is_prime[multiple] = False
        p += 1
    count = 0
    for flag in is_prime:
        if flag:
            count += 1
    return count


def insertion_sort(x):
    """Sort the argument in place."""
    for i in range(1, len(x)):
        value = x[i]
        j = i - 1
        while j >= 0 and x[j] > value:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = value


def bubble_sort(x):
    """Sort a copy, until a pass changes nothing; returns it and the passes made."""
    x = x.copy()
    passes = 0
    swapped = True
    while swapped:
        swapped = False
        for i in range(len(x) - 1):
            if x[i] > x[i + 1]:
                x[i], x[i + 1] = x[i + 1], x[i]
                swapped = True
        passes += 1
    return x, passes


def histogram(x, low, high, counts):
    """Count values by equal bins into `counts`; returns how many were outside."""
    outside = 0
    width = (high - low) / len(counts)
    for value in x:
        if value < low or not value < high:
            outside += 1
            continue
        counts[int((value - low) / width)] += 1
    return outside


def find(parent, i):
    """The representative of a set, with path halving."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


def components(edges, n):
    """Number of connected components by union-find, and a label of every node."""
    parent = np.arange(n)
    size = np.ones(n, dtype=np.int64)
    count = n
    for a, b in edges:
        a, b = find(parent, a), find(parent, b)
        if a == b:
            continue
        if size[a] < size[b]:
            a, b = b, a
        parent[b] = a
        size[a] += size[b]
        count -= 1
    labels = np.zeros(n, dtype=np.int64)
    for i in range(n):
        labels[i] = find(parent, i)
    return count, labels


def binary_search(x, value):
    """The place of a value in a sorted array, or -1."""
    low, high = 0, len(x)
    while low < high:
        middle = (low + high) // 2
        if x[middle] == value:
            return middle
        if x[middle] < value:
            low = middle + 1
        else:
            high = middle
    return -1


def merge_sort(x):
    """Sort bottom up with two buffers."""
    n = len(x)
    source, target = x.copy(), np.empty_like(x)
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            i, j = start, middle
            for k in range(start, end):
                if i < middle and (j >= end or source[i] <= source[j]):
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
        source, target = target, source
        width *= 2
    return source


def longest_collatz(limit):
    """The start below `limit` with the longest Collatz sequence, and its length."""
    best, best_length = 1, 1
    for start in range(1, limit):
        n = start
        length = 1
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            length += 1
        if length > best_length:
            best, best_length = start, length
    return best, best_length


def greatest_common_divisors(a, b):
    """Euclid's algorithm for every pair of elements."""
    result = np.empty_like(a)
    for i in range(len(a)):
        x, y = a[i], b[i]
        while y:
            x, y = y, x % y
        result[i] = abs(x)
    return result
