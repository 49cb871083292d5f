"""Time-stepping on grids, cell by cell and by slices."""

from __future__ import annotations

import numpy as np


def heat_1d(u, alpha, steps):
    """Explicit heat equation on a rod; two buffers change places after every step."""
    new = u.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            new[i] = u[i] + alpha * (u[i - 1] - 2 * u[i] + u[i + 1])
        u, new = new, u
    return u


def heat_1d_slices(u, alpha, steps):
    """The same by slices, as NumPy users write it."""
    new = u.copy()
    for _ in range(steps):
        new[1:-1] = u[1:-1] + alpha * (u[:-2] - 2 * u[1:-1] + u[2:])
        u, new = new, u
    return u


def heat_2d(u, alpha, steps):
    """Heat equation on a plate, cell by cell."""
    rows, columns = u.shape
    new = u.copy()
    for _ in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                new[i, j] = u[i, j] + alpha * (around - 4 * u[i, j])
        u, new = new, u
    return u


def laplace_jacobi(u, tolerance, most):
    """Relax to the solution of Laplace's equation, until the change is small."""
    steps = 0
    change = tolerance + 1.0
    while change > tolerance and steps < most:
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        change = np.max(np.abs(new - u))
        u = new
        steps += 1
    return u, steps


def wave(u, courant, steps):
    """Second-order wave equation with reflecting ends and three time levels."""
    before = u.copy()
    now = u.copy()
    for step in range(steps):
        after = np.zeros_like(now)
        after[1:-1] = 2 * now[1:-1] - before[1:-1] + courant**2 * (now[:-2] - 2 * now[1:-1] + now[2:])
        if step % 2 == 0:
            after[0] = after[1]
        else:
            after[-1] = after[-2]
        before, now = now, after
    return now


def count_neighbours(board, i, j):
    """Living cells around one, on a torus."""
    rows, columns = board.shape
    count = 0
    for di in (-1, 0, 1):
        for dj in (-1, 0, 1):
            if di == 0 and dj == 0:
                continue
            count += board[(i + di) % rows, (j + dj) % columns]
    return count


def life(board, generations):
    """Conway's game of life, cell by cell."""
    rows, columns = board.shape
    for _ in range(generations):
        new = np.zeros_like(board)
        for i in range(rows):
            for j in range(columns):
                alive = count_neighbours(board, i, j)
                if board[i, j] == 1 and (alive == 2 or alive == 3):
                    new[i, j] = 1
                elif board[i, j] == 0 and alive == 3:
                    new[i, j] = 1
        if np.array_equal(new, board):
            break
        board = new
    return board
