import { withLatinLetters } from './confusable-letters.ts'

/** I and 1 are drawn like l, and 0 like o (UTS #39): names and patterns are compared with `l` and `o` in their place. */
const folded = (pattern: string) => new RegExp(pattern.replaceAll('i', 'l'))

/** Names that are a credential's only as a whole: `bearer_name` and `token_count` are ordinary. */
const WHOLE = [
  ...['bearer', 'cookies?', 'creds', 'dsn', 't?otps?', 'setcookie', 'secrets', 'tokens', 'xadcpauth'],
  // Cookies of sessions by the names that servers give them; `session_id` is a member of AdCP.
  ...['jsessionid', 'phpsessid', 'aspnetsessionid', 'connectsid'],
  ...['id(?:rsa|dsa|ecdsa)', 'keytab'],
]

/** A name that ends in one of these names a credential: `db_password`, `platform_access_token`, `http_authorization`. */
const ENDINGS = [
  'authori[sz]ation',
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
  'auth(?:ori[sz]ation)?header',
  '(?:basic|bearer|digest|http)auth',
  '(?:admin|database|db|login|root|smtp|sql|user)pass',
  '(?:api|auth|client|db|login|user)creds',
  '(?:authori[sz]ation|bearer|credentials?|password|secret|token)(?:json|values?|strings?|raw|hex|encoded|encrypted|old|new)',
  '(?:credentials?|passw(?:or)?d|secret)(?:backup|current|live|previous|primary|prod|production|secondary|staging|test|text)',
  'conn(?:ection)?str(?:ings?)?',
  '(?:conn(?:ection)?|database|db|mysql|odbc|pg|postgres|redis|sentry|sql)dsn',
  'dsn(?:strings?|ur[il]|values?)',
  '(?:email|login|mfa|sms|user)otp',
  '(?:mfa|otp|recovery)codes?',
  'otp(?:secrets?|values?)',
  '(?:auth|login|session)cookies?',
  '(?:account|admin|app|application|consumer|deploy|functions|licen[cs]e|storage|subscription|wallet)keys?',
  '(?:database|db|jdbc|mariadb|mongo|mongodb|mysql|odbc|pg|postgres|postgresql|rabbitmq|redis)ur[il]s?',
  'codeverifiers?',
  'kubeconfig',
  'saml(?:assertion|response)s?',
  'serviceaccountjson',
  'sharedaccesssignatures?',
  // Danish, Dutch, French, German, Portuguese, Spanish, Swedish; without their accents.
  'adgangskode',
  '(?:apischl(?:ue|u)ssel|(?:clave|cle|chave)(?:api|secreta|secrete))',
  'contrasenas?',
  'kennw(?:oe|o)rt(?:er)?',
  'losenord',
  'mots?depasse',
  'passw(?:oe|o)rt(?:er)?',
  'senha',
  'wachtwoord',
  'zugangsdaten',
]

/** A name that holds one of these anywhere names a credential or a part of one: `client_secret_value`. */
const ANYWHERE = ['accesstoken', 'apitoken', 'authtoken', 'bearertoken', 'clientsecret', 'refreshtoken', 'sessiontoken']

/** Words for a password in scripts that no pattern of Latin letters meets: Russian, Chinese, Japanese, Korean. */
const OTHER_SCRIPTS = /парол|密[码碼]|パスワード|비밀번호/iu

/** Names that are a credential's where they hold a text: as an object they say how somebody else is authenticated. */
const OF_TEXT = folded('^auth(?:entication)?$')

/** Kinds of keys that are secret; `session_keywords` is another word. */
const KEYS =
  '(?:access|api|auth|client|encryption|hmac|master|private|secret|serviceaccount|session|shared|signing|ssh)keys?(?!word|frame|note|stroke|board|pad|stone)'

const CREDENTIAL = folded(`^(?:${WHOLE.join('|')})$|(?:${ENDINGS.join('|')})$|${ANYWHERE.join('|')}|${KEYS}`)

/** Tokens of pages and of design systems give no access, and the published half of a key pair is no secret. */
const ORDINARY = folded('(?:page|pagination|continuation|cursor|design)tokens?$|public(?:signing|ssh)keys?$')

/** Marks, format characters and other characters that are drawn as nothing. */
const INVISIBLE = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Stands for letters that no pattern has, however many: it keeps what is on both sides apart. */
const OTHER_LETTERS = '\u4e00'

/**
 * The letters and digits of a name in one spelling: `API-Key`, `apiKey`, `a p i . k e y`, full-width and other compatibility forms (NFKD), look-alikes
 * of other scripts, accents and invisible characters give the same. A number at the end is left out, and letters of other scripts are one letter. `letters` has
 * what was found of single characters, for the names of one scan. Takes time in proportion to the name: each character by itself, since the decomposition of
 * a whole name may be eighteen times as long, and puts each run of marks into order, which costs the square of its length.
 */
export function skeletonOf(name: string, letters = new Map<string, string>()): string {
  return joined(lowerOf(name, letters))
}

function lowerOf(name: string, letters: Map<string, string>): string {
  return /^[\x20-\x7e]*$/.test(name) ? name.toLowerCase() : latinOf(name, letters)
}

/** Letters and digits of a lower-case name without a number at its end. Character by character: names are many, and a pass of a pattern costs more than all of this. */
function joined(lower: string): string {
  let end = lower.length
  while (isDigit(lower.charCodeAt(end - 1))) end--
  let letters = ''
  for (let at = 0; at < end; at++) {
    const character = lower.charAt(at)
    if (character === 'i' || character === '1' || character === '|') letters += 'l'
    else if (character === '0') letters += 'o'
    else if ((character >= 'a' && character <= 'z') || isDigit(lower.charCodeAt(at)) || character === OTHER_LETTERS)
      letters += character
  }
  return letters
}

const isDigit = (code: number) => code >= 48 && code <= 57

function latinOf(name: string, letters: Map<string, string>): string {
  let latin = ''
  let before = ''
  for (const character of name) {
    let found = character >= ' ' && character <= '~' ? character.toLowerCase() : letters.get(character)
    if (found === undefined) {
      found = latinOfCharacter(character)
      letters.set(character, found)
    }
    if (found !== OTHER_LETTERS || before !== OTHER_LETTERS) latin += found
    if (found !== '') before = found
  }
  return latin
}

/** The lower-case Latin letters, digits and marks of ASCII that a character is drawn like. */
function latinOfCharacter(character: string): string {
  const plain = character.replace(INVISIBLE, '').normalize('NFKD').replace(INVISIBLE, '')
  // A ligature of many letters is drawn like none.
  const drawn = plain.length > 3 ? plain.toLowerCase() : withLatinLetters(plain)
  return drawn.replaceAll(/[^\x20-\x7e]+(?: +[^\x20-\x7e]+)*/g, (other) => (/[\p{L}\p{N}]/u.test(other) ? OTHER_LETTERS : ''))
}

/** Whether a member of this name holds a credential, whatever its value; so does a second one, or one of a version. `letters`: see {@link skeletonOf}. */
export function namesCredential(name: string, letters = new Map<string, string>()): boolean {
  if (OTHER_SCRIPTS.test(name)) return true
  const lower = lowerOf(name, letters)
  const skeleton = joined(lower)
  if (isOfCredential(skeleton)) return true
  const unnumbered = joined(lower.replaceAll(/v?\d+/g, ''))
  return unnumbered !== skeleton && isOfCredential(unnumbered)
}

/** Whether a member of this name holds a credential where its value is a text. */
export function namesCredentialText(name: string, letters = new Map<string, string>()): boolean {
  return OF_TEXT.test(skeletonOf(name, letters))
}

function isOfCredential(skeleton: string): boolean {
  return CREDENTIAL.test(skeleton) && !ORDINARY.test(skeleton)
}
