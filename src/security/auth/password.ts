import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

interface Cost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** The one of OWASP's equivalent scrypt settings (password storage cheat sheet) that needs only 16 MiB. */
const DEFAULT_COST: Cost = { N: 16_384, r: 8, p: 5 }
const KEY_BYTES = 32
/** Characters (UTF-16 units) of a password. What is longer matches none; normalising a text of combining marks takes time in the square of its length. */
export const MAX_PASSWORD = 256
const STORED = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([A-Za-z0-9_-]+)\$([A-Za-z0-9_-]+)$/

/** `scrypt$N$r$p$salt$hash`, salted anew each time. A cheaper cost is for tests. Throws RangeError for more than {@link MAX_PASSWORD} characters. */
export async function hashPassword(password: string, cost: Cost = DEFAULT_COST): Promise<string> {
  if (password.length > MAX_PASSWORD) throw new RangeError(`a password has at most ${MAX_PASSWORD} characters`)
  const salt = randomBytes(16)
  const hash = await derive(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether the password is the one behind a stored hash; takes the same time for one that is too long. Throws when the text is no hash of ours. */
export async function passwordMatches(password: string, stored: string): Promise<boolean> {
  const match = STORED.exec(stored)
  if (!match) throw new Error('stored password hash is unreadable')
  const [, N, r, p, salt = '', hash = ''] = match
  const derived = await derive(password.slice(0, MAX_PASSWORD), Buffer.from(salt, 'base64url'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  })
  return timingSafeEqual(derived, Buffer.from(hash, 'base64url')) && password.length <= MAX_PASSWORD
}

function derive(password: string, salt: Uint8Array, { N, r, p }: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Twice the 128 N r bytes that the cost takes; Node's own limit would refuse a higher one.
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
