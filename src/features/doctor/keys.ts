import { readJwks } from '../../security/signing/jwk.ts'
import type { FetchDocument } from '../../security/signing/remote-keys.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { signatureWords } from './words.ts'

const MAX_JWKS_BYTES = 64 * 1024
/** Private members of a JWK (RFC 7518 §6). */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

export interface KeyInstruments {
  readonly fetchDocument: FetchDocument
  readonly parseJson: (body: Uint8Array) => unknown
  readonly ownKeys?: readonly string[] | undefined
}

/** The key set at the end of the chain. */
export async function examineKeys(
  jwksUri: string,
  { fetchDocument, parseJson, ownKeys }: KeyInstruments,
): Promise<readonly Finding[]> {
  let document: unknown
  try {
    const { status, body } = await fetchDocument(jwksUri, { maxBytes: MAX_JWKS_BYTES })
    if (status !== 200) return [unavailable(`it answers ${status}`)]
    document = parseJson(body)
  } catch {
    return [unavailable('no readable answer')]
  }
  if (hasPrivatePart(document))
    return [
      problem('keys', 'the key set publishes PRIVATE keys', 'take it down now, then: sales-agent identity rotate --compromised'),
    ]
  const keys = readJwks(document)
  if (!keys) return [problem('keys', 'the key set is no JWKS with unique kids', 'serve {"keys": […]} as RFC 7517 has it')]
  const findings = (['request-signing', 'webhook-signing'] as const).map((purpose): Finding => {
    const found = keys.filter((key) => key.adcp_use === purpose).map((key) => key.kid)
    if (found.length > 0) return ok('keys', `${purpose}: ${found.join(', ')}`)
    return warning('keys', `no key for ${purpose}`, 'sales-agent identity init')
  })
  const missing = (ownKeys ?? []).filter((kid) => !keys.some((key) => key.kid === kid))
  if (missing.length === 0) return findings
  return [
    ...findings,
    problem(
      'keys',
      `keys of this data folder are not published: ${missing.join(', ')}`,
      'is another server, or an old copy, at this address?',
    ),
  ]
}

function unavailable(reason: string): Finding {
  const [text, advice] = signatureWords('signature_jwks_unavailable')
  return problem('keys', `${text}: ${reason}`, advice)
}

function hasPrivatePart(document: unknown): boolean {
  const keys = typeof document === 'object' && document !== null && 'keys' in document ? [document.keys].flat() : []
  return keys.some((key) => typeof key === 'object' && key !== null && PRIVATE.some((member) => Object.hasOwn(key, member)))
}
