import { randomFillSync } from 'node:crypto'

/** Texts for which the system is asked once: a call costs tens of microseconds on some machines, however few bytes it gives. */
const TEXTS = 256

/** Makes a function that gives texts of `bytes` random bytes each (base64url), which cannot be guessed from those before. */
export function createRandomTexts(bytes: number): () => string {
  const pool = Buffer.alloc(bytes * TEXTS)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += bytes
    return pool.toString('base64url', used - bytes, used)
  }
}
