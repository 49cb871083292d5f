"""Loops over elements as tutorials of Numba have them."""

from __future__ import annotations

import numpy as np


def matmul_loops(a, b):
    """A product of matrices by three loops, the inner one along the rows of the second."""
    rows, inner = a.shape
    columns = b.shape[1]
    c = np.zeros((rows, columns))
    for i in range(rows):
        for k in range(inner):
            for j in range(columns):
                c[i, j] += a[i, k] * b[k, j]
    return c


def moving_average(x, width):
    """Means of all windows, each added up anew."""
    out = np.empty(len(x) - width + 1)
    for i in range(len(out)):
        total = 0.0
        for j in range(width):
            total += x[i + j]
        out[i] = total / width
    return out


def prefix_sums(x):
    """Sums of the first elements."""
    out = np.empty_like(x)
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        out[i] = total
    return out


def plain_life(board, generations):
    """Conway's game of life with a dead border."""
    rows, columns = board.shape
    for _ in range(generations):
        new = np.zeros_like(board)
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                alive = (
                    board[i - 1, j - 1]
                    + board[i - 1, j]
                    + board[i - 1, j + 1]
                    + board[i, j - 1]
                    + board[i, j + 1]
                    + board[i + 1, j - 1]
                    + board[i + 1, j]
                    + board[i + 1, j + 1]
                )
                if alive == 3 or (alive == 2 and board[i, j] == 1):
                    new[i, j] = 1
        board = new
    return board


def relax(u, sweeps):
    """Jacobi relaxation between two grids, cell by cell, and the largest change of the last sweep."""
    rows, columns = u.shape
    new = u.copy()
    change = 0.0
    for _ in range(sweeps):
        change = 0.0
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                new[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                change = max(change, abs(new[i, j] - u[i, j]))
                u[i, j] = new[i, j]
    return change


def pi_by_chance(points, seed):
    """Points in a square that are in a circle, drawn by a xorshift generator."""
    state = np.uint64(seed)
    inside = 0
    for _ in range(points):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        x = (state >> np.uint64(40)) * 2.0**-24
        y = ((state >> np.uint64(16)) & np.uint64(0xFFFFFF)) * 2.0**-24
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / points


def gravity(x, y, z, mass, dt, steps):
    """Bodies that attract each other, coordinate by coordinate; the positions are written over."""
    n = len(x)
    vx, vy, vz = np.zeros(n), np.zeros(n), np.zeros(n)
    for _ in range(steps):
        for i in range(n):
            ax = ay = az = 0.0
            for j in range(n):
                dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
                distance = dx * dx + dy * dy + dz * dz + 1e-3
                force = mass[j] / (distance * np.sqrt(distance))
                ax += dx * force
                ay += dy * force
                az += dz * force
            vx[i] += ax * dt
            vy[i] += ay * dt
            vz[i] += az * dt
        for i in range(n):
            x[i] += vx[i] * dt
            y[i] += vy[i] * dt
            z[i] += vz[i] * dt


def search_all(x, wanted):
    """Where each of many numbers would stand in a sorted array."""
    out = np.empty(len(wanted), np.int64)
    for k in range(len(wanted)):
        low, high = 0, len(x)
        while low < high:
            middle = (low + high) // 2
            if x[middle] < wanted[k]:
                low = middle + 1
            else:
                high = middle
        out[k] = low
    return out


def count_pairs(x, limit):
    """How many pairs are closer than a limit."""
    count = 0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if abs(x[i] - x[j]) < limit:
                count += 1
    return count


def escape_steps(x, limit, most):
    """After how many steps each point of a plane escapes, written where the loop breaks off."""
    steps = np.zeros(x.shape, np.int32)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            value = x[i, j]
            for step in range(most):
                value = value * value + x[i, j]
                if value > limit:
                    steps[i, j] = step
                    break
    return steps
