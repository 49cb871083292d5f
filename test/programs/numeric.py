"""Roots, integrators, particles, fractals and recurrent networks."""

from __future__ import annotations

import numpy as np


def newton(coefficients, x, tolerance, most):
    """A root of a polynomial by Newton's method with Horner's scheme; raises when it does not converge."""
    for _ in range(most):
        value, slope = 0.0, 0.0
        for c in coefficients:
            slope = slope * x + value
            value = value * x + c
        if abs(value) < tolerance:
            return x
        if slope == 0:
            raise ZeroDivisionError("the tangent is horizontal")
        x = x - value / slope
    raise RuntimeError("no convergence")


def bisection(low, high, tolerance):
    """The root of cos(x) - x between two points, and the steps taken."""
    steps = 0
    while high - low > tolerance:
        middle = (low + high) / 2
        if (np.cos(low) - low) * (np.cos(middle) - middle) <= 0:
            high = middle
        else:
            low = middle
        steps += 1
    return (low + high) / 2, steps


def lorenz(state):
    """The Lorenz system."""
    x, y, z = state
    return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])


def rk4_step(derivative, state, h):
    """One Runge-Kutta step of any system."""
    k1 = derivative(state)
    k2 = derivative(state + h / 2 * k1)
    k3 = derivative(state + h / 2 * k2)
    k4 = derivative(state + h * k3)
    return state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def trajectory(state, h, steps):
    """Integrate the Lorenz system and keep every state."""
    path = np.zeros((steps + 1, 3))
    path[0] = state
    for i in range(steps):
        path[i + 1] = rk4_step(lorenz, path[i], h)
    return path


def adaptive_decay(y, rate, end, tolerance):
    """Integrate exponential decay with steps that adapt themselves."""
    t, h, accepted, rejected = 0.0, 0.1, 0, 0
    while t < end:
        h = min(h, end - t)
        full = y * (1 - h * rate)
        half = y * (1 - h / 2 * rate) ** 2
        error = np.abs(full - half)
        if error > tolerance:
            h = h / 2
            rejected += 1
            continue
        t += h
        y = half
        accepted += 1
        if error < tolerance / 4:
            h = h * 2
    return y, accepted, rejected


def accumulate_forces(position, mass, force, softening):
    """Write the gravity between all pairs into `force`."""
    n = len(mass)
    force[:] = 0
    for i in range(n):
        for j in range(i + 1, n):
            d = position[j] - position[i]
            distance = np.sqrt(np.sum(d * d) + softening)
            pull = mass[i] * mass[j] / distance**3 * d
            force[i] += pull
            force[j] -= pull


def bounce(position, velocity, size):
    """Reflect particles that left the box, in place."""
    for i in range(position.shape[0]):
        for axis in range(position.shape[1]):
            if position[i, axis] < 0:
                position[i, axis] = -position[i, axis]
                velocity[i, axis] = -velocity[i, axis]
            elif position[i, axis] > size:
                position[i, axis] = 2 * size - position[i, axis]
                velocity[i, axis] = -velocity[i, axis]


def simulate(position, velocity, mass, dt, steps):
    """Move particles in a box, in place, by leapfrog steps; returns the kinetic energy."""
    force = np.zeros_like(position)
    for _ in range(steps):
        accumulate_forces(position, mass, force, 0.01)
        velocity += dt * force / mass[:, np.newaxis]
        position += dt * velocity
        bounce(position, velocity, 1.0)
    return 0.5 * np.sum(mass[:, np.newaxis] * velocity**2)


def mandelbrot(width, height, most):
    """Escape times of the Mandelbrot set, pixel by pixel."""
    image = np.zeros((height, width), dtype=np.int32)
    for row in range(height):
        for column in range(width):
            cx = -2.0 + 3.0 * column / width
            cy = -1.5 + 3.0 * row / height
            x = y = 0.0
            for k in range(most):
                x, y = x * x - y * y + cx, 2 * x * y + cy
                if x * x + y * y > 4.0:
                    image[row, column] = k + 1
                    break
    return image


def sigmoid(x):
    """The logistic function."""
    return 1 / (1 + np.exp(-x))


def lstm(inputs, w, u, b):
    """An LSTM over a sequence; returns the last hidden state and all of them."""
    steps, batch, _ = inputs.shape
    units = u.shape[0]
    h = np.zeros((batch, units), dtype=inputs.dtype)
    c = np.zeros((batch, units), dtype=inputs.dtype)
    outputs = np.zeros((steps, batch, units), dtype=inputs.dtype)
    for t in range(steps):
        z = inputs[t] @ w + h @ u + b
        i = sigmoid(z[:, :units])
        f = sigmoid(z[:, units : 2 * units])
        g = np.tanh(z[:, 2 * units : 3 * units])
        o = sigmoid(z[:, 3 * units :])
        c = f * c + i * g
        h = o * np.tanh(c)
        outputs[t] = h
    return h, outputs


def matrix_power(a, exponent):
    """A power by squaring; the exponent is known only at run time."""
    result = np.eye(a.shape[0], dtype=a.dtype)
    while exponent > 0:
        if exponent % 2 == 1:
            result = result @ a
        a = a @ a
        exponent = exponent // 2
    return result


def chained_matmuls(a, b, times):
    """Multiply by a matrix again and again, as often as is said at run time."""
    for _ in range(times):
        a = a @ b
    return a


def gradient_descent(x, y, rate, tolerance, most):
    """Least squares with a growing and shrinking step, keeping the best weights seen."""
    w = np.zeros(x.shape[1])
    best, best_w, patience = np.inf, w, 0
    for step in range(most):
        error = x @ w - y
        loss = np.mean(error**2)
        if loss < best - tolerance:
            best, best_w, patience = loss, w.copy(), 0
        else:
            patience += 1
            if patience == 5:
                break
        w = w - rate * (2 * x.T @ error / len(y))
    return best_w, best, step
