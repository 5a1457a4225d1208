import { parse } from 'tldts'
import { isReservedDomain } from '../domain/reserved-domain.ts'
import { AdcpError } from '../protocol/errors.ts'

/**
 * A domain of a publisher as it is stored: small letters, international names in their ASCII form. Throws INVALID_REQUEST, naming `field`, for a URL, an address and
 * a name without a known ending; names that RFC 2606 and RFC 6761 reserve for tests and examples are accepted.
 */
export function requireDomain(text: string, field: string): string {
  const fault = (why: string) =>
    new AdcpError('INVALID_REQUEST', `${field} "${text}" ${why}; send a domain such as news.example`, { field })
  if (/[/:@?#\s]/.test(text)) throw fault('is an address or a URL, no domain')
  const host = URL.canParse(`https://${text}`) ? new URL(`https://${text}`).hostname.replace(/\.$/, '') : ''
  const { isIp, domain, publicSuffix, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true, validateHostname: true })
  if (host === '' || isIp || host.length > MAX_LENGTH) throw fault('is no domain name')
  const isReserved = isReservedDomain(host)
  if (!isReserved && domain === null)
    throw fault(`is no domain that somebody can own${publicSuffix === null ? '' : `: "${publicSuffix}" is an ending`}`)
  if (!isReserved && !isIcann && !isPrivate) throw fault(`ends in "${publicSuffix}", which is no ending of the internet`)
  return host
}

/** RFC 1035 §2.3.4. */
const MAX_LENGTH = 253
