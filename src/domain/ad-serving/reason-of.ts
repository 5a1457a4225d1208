import { cleanedText } from '../fit-text.ts'

/** Longest reason: an ad server may answer with a page. */
const MOST_REASON = 500
/** Of a text that is longer, what comes later is not looked at. */
const MOST_READ = 10_000

const HIDDEN = '…'

/** What gives access where errors quote a request: user information and queries of addresses, headers and members of credentials, signed tokens (JWT), private keys. */
const CREDENTIALS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,10000}(?:-----END [A-Z ]{0,40}-----)?/g, HIDDEN],
  [/(?<=:\/\/)[^\s/@?#]{1,500}@/g, ''],
  [/\?(?<=:\/\/[^\s?#"'<>]{1,500}\?)[^\s"'<>]{1,10000}/g, `?${HIDDEN}`],
  [/\b(bearer|basic)\s{1,4}[\w.~+/=-]{6,}/gi, `$1 ${HIDDEN}`],
  [
    /((?:authori[sz]ation|api[_-]?key|access[_-]?key|private[_-]?key|passw(?:or)?d|passphrase|secret|token|cookie|credentials?)["'`]?\s{0,4}[:=]\s{0,4})(?!bearer|basic)(?:"[^"]{1,10000}"?|'[^']{1,10000}'?|[^\s"',;}]{1,10000})/gi,
    `$1${HIDDEN}`,
  ],
  [/\beyJ[\w-]{5,}\.[\w-]*\.?[\w-]*/g, HIDDEN],
]

/** Why an ad server, or a module for one, failed, for people: one line of at most 500 characters, without control characters and credentials. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const line = cleanedText(text.slice(0, MOST_READ))
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  const safe = CREDENTIALS.reduce((so, [pattern, instead]) => so.replaceAll(pattern, instead), line)
  if (safe === '') return 'it gives no reason'
  return safe.length <= MOST_REASON ? safe : `${safe.slice(0, MOST_REASON - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
