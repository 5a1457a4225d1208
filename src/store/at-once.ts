/**
 * Asks for several statements of a transaction at once: on PostgreSQL they travel together. Resolves to their results once all have
 * ended, or throws the first error; a transaction must not be rolled back while one of its statements is still to come.
 */
export async function atOnce<const T extends readonly unknown[]>(
  statements: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(statements)
  return Promise.all(statements)
}
