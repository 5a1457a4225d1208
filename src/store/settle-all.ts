/**
 * Awaits several statements of a transaction that were started together: PostgreSQL gets them in one batch. Resolves to their results once
 * all have settled, or throws the first error; a transaction must not be rolled back while one of its statements is pending.
 */
export async function settleAll<const T extends readonly unknown[]>(
  statements: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(statements)
  return Promise.all(statements)
}
