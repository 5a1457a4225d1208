import { withLatinLetters } from './confusable-letters.ts'

/** Names that are a credential's only as a whole: `bearer_name` and `token_count` are ordinary. */
const WHOLE = ['bearer', 'cookie', 'setcookie', 'secrets', 'tokens', 'xadcpauth']

/** A name that ends in one of these names a credential: `db_password`, `platform_access_token`, `http_authorization`. */
const ENDINGS = [
  'authorization',
  'credentials?',
  'jwts?',
  'jwks?',
  'jwksur[il]',
  'passcodes?',
  'passphrases?',
  'passw(?:or)?ds?',
  'pwd',
  'secret',
  'token',
  '(?:access|api|auth|bearer|client|id|refresh|secret|security|session|user)tokens',
  '(?:api|app|auth|client|session|shared|signing|webhook)secrets',
  '(?:auth|authorization)codes?',
  'auth(?:orization)?header',
  '(?:basic|digest|http)auth',
  '(?:auth|login|session)cookies?',
]

/** A name that holds one of these anywhere names a credential or a part of one: `client_secret_value`. */
const ANYWHERE = ['accesstoken', 'apitoken', 'authtoken', 'bearertoken', 'clientsecret', 'refreshtoken', 'sessiontoken']

/** Kinds of keys that are secret; `session_keywords` is another word. */
const KEYS = '(?:access|api|private|secret|session|signing|ssh)keys?(?!word|frame|note|stroke|board|pad|stone)'

/** I and 1 are drawn like l, and 0 like o (UTS #39): names and patterns are compared with `l` and `o` in their place. */
const folded = (pattern: string) => new RegExp(pattern.replaceAll('i', 'l'))

const CREDENTIAL = folded(`^(?:${WHOLE.join('|')})$|(?:${ENDINGS.join('|')})$|${ANYWHERE.join('|')}|${KEYS}`)

/** Tokens of pages and of design systems give no access, and the published half of a key pair is no secret. */
const ORDINARY = folded('(?:page|pagination|continuation|cursor|design)tokens?$|public(?:signing|ssh)keys?$')

/** Marks, format characters and other characters that are drawn as nothing. */
const INVISIBLE = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/**
 * The letters and digits of a name in one spelling: `API-Key`, `apiKey`, `a p i . k e y`, full-width and other compatibility forms (NFKD), look-alikes
 * of other scripts, accents and invisible characters give the same. A number at the end is left out. Marks are removed before the decomposition too,
 * since it puts each run of them into order, which costs the square of its length.
 */
export function skeletonOf(name: string): string {
  // The usual case, a wire name.
  if (/^[a-z_]+$/.test(name)) return name.replaceAll('_', '').replaceAll('i', 'l')
  const lower = /^[\x20-\x7e]*$/.test(name)
    ? name.toLowerCase()
    : withLatinLetters(name.replace(INVISIBLE, '').normalize('NFKD').replace(INVISIBLE, '').toLowerCase())
  return lower
    .replace(/(?<!\d)\d+$/, '')
    .replaceAll(/[i1|]/g, 'l')
    .replaceAll('0', 'o')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Whether a member of this name holds a credential, whatever its value. */
export function namesCredential(name: string): boolean {
  const skeleton = skeletonOf(name)
  return CREDENTIAL.test(skeleton) && !ORDINARY.test(skeleton)
}
