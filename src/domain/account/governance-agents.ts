import { AdcpError } from '../../protocol/errors.ts'

/** A governance agent as a buyer names it. */
export interface WantedAgent {
  readonly url: string
  readonly credentials: string
  readonly categories: readonly string[] | undefined
}

interface WireAgent {
  readonly url: string
  readonly authentication: { readonly schemes: readonly string[]; readonly credentials: string }
  readonly categories?: readonly string[]
}

/** RFC 6750 §2.1: what can follow `Bearer ` in a header. */
const BEARER = /^[A-Za-z0-9\-._~+/]+=*$/
/** RFC 9110 asks for no limit; servers refuse longer header lines. */
const LONGEST_CREDENTIAL = 4096
const LONGEST_URL = 2048

/**
 * Checks what the schema cannot: addresses that are one, credentials that fit into a header, each agent once. Names that only resolve to
 * addresses of this network are refused when they are called. `field` is that of the list. Throws VALIDATION_ERROR, UNSUPPORTED_FEATURE.
 */
export function checkGovernanceAgents(
  agents: readonly WireAgent[],
  field: string,
  { anyAddress }: { readonly anyAddress: boolean },
): readonly WantedAgent[] {
  return agents.map(({ url, authentication, categories }, index) => {
    const at = `${field}[${index}]`
    checkAddress(url, `${at}.url`, anyAddress)
    if (agents.findIndex((other) => other.url === url) !== index)
      throw new AdcpError('VALIDATION_ERROR', 'the same governance agent is named twice', { field: `${at}.url` })
    if (authentication.schemes[0] !== 'Bearer') {
      throw new AdcpError('UNSUPPORTED_FEATURE', 'governance agents are called with Bearer credentials', {
        field: `${at}.authentication.schemes`,
        suggestion: 'use one of: Bearer',
      })
    }
    const { credentials } = authentication
    if (credentials.length > LONGEST_CREDENTIAL || !BEARER.test(credentials)) {
      throw new AdcpError('VALIDATION_ERROR', 'the credentials cannot be sent as a Bearer token', {
        field: `${at}.authentication.credentials`,
      })
    }
    return { url, credentials, categories }
  })
}

function checkAddress(text: string, field: string, anyAddress: boolean): void {
  const url = text.length <= LONGEST_URL && URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && url.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === ''
  if (!isPlain || (!anyAddress && isThisNetwork(url.hostname))) {
    throw new AdcpError('VALIDATION_ERROR', 'the url must be a public https address without user information or fragment', {
      field,
    })
  }
}

/** Addresses and names without a public meaning (RFC 6762 §3, RFC 6761 §6.3); what a name resolves to is examined with each call. */
function isThisNetwork(hostname: string): boolean {
  return /^\[|^\d+\.\d+\.\d+\.\d+$|(^|\.)(localhost|local|internal)\.?$/.test(hostname)
}
