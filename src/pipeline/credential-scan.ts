/** Deeper or larger arguments than any legal request are refused instead of being scanned in part. */
const MAX_DEPTH = 64
const MAX_NODES = 100_000

const NAMES = new Set([
  'authorization',
  'proxy_authorization',
  'cookie',
  'set_cookie',
  'bearer',
  'token',
  'password',
  'passwd',
  'passphrase',
  'secret',
  'credential',
  'credentials',
  'jwk',
  'jwks',
  'jwks_uri',
  'x_adcp_auth',
  'x_api_key',
])
const SUFFIX = /_(token|secret|password|passwd|passphrase|credential|credentials)$/
const ANYWHERE = /(api_?key|private_?key|client_?secret|access_?token|refresh_?token|bearer_?token|auth_?token)/

/** Looks of a normalised key; `kid`, `key` and `principal` are ordinary words in the protocol and stay allowed. */
function looksLikeCredential(key: string): boolean {
  return NAMES.has(key) || SUFFIX.test(key) || ANYWHERE.test(key)
}

/** Whether any of these names, as keys of an object, would be refused as that of a credential. */
export function namesCredential(names: readonly string[]): boolean {
  return findCredential(Object.fromEntries(names.map((name) => [name, ''])), () => false) !== undefined
}

const INVISIBLE = /[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/g

/** One spelling for `apiKey`, `API-Key`, `api_key` and look-alikes in full-width or with invisible characters. */
export function normaliseKey(key: string): string {
  // The common case, a snake_case wire name, costs one test.
  if (/^[a-z0-9_]+$/.test(key)) return key
  return key
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[\s\-.]+/g, '_')
    .toLowerCase()
}

/**
 * The first credential-shaped key in `value`, at any depth and in arrays, that `isDeclared` does not know as a legal field
 * at its path (array positions are left out of the path). Only keys count, so an empty or null value is refused too.
 * `too-large` when the bounds were hit: the caller must refuse.
 */
export function findCredential(
  value: unknown,
  isDeclared: (path: readonly string[]) => boolean,
): 'found' | 'too-large' | undefined {
  const stack: { value: object; path: readonly string[]; depth: number }[] = []
  if (typeof value === 'object' && value !== null) stack.push({ value, path: [], depth: 1 })
  let nodes = 0
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    if (entry.depth > MAX_DEPTH) return 'too-large'
    const isArray = Array.isArray(entry.value)
    for (const [key, child] of Object.entries(entry.value)) {
      if (++nodes > MAX_NODES) return 'too-large'
      const isObject = typeof child === 'object' && child !== null
      if (isArray) {
        if (isObject) stack.push({ value: child, path: entry.path, depth: entry.depth + 1 })
        continue
      }
      const suspicious = looksLikeCredential(normaliseKey(key))
      if (!suspicious && !isObject) continue
      const path = [...entry.path, key]
      if (suspicious && !isDeclared(path)) return 'found'
      if (isObject) stack.push({ value: child, path, depth: entry.depth + 1 })
    }
  }
  return undefined
}
