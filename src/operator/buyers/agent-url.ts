import type { Config } from '../../config/config.ts'
import { canonicalUrl } from '../../domain/canonical-url.ts'
import { isPlainLoopback } from '../../platform/net/fetch-policy.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { requireHttpsUrl } from '../https-url.ts'

/** The address of a buyer's agent, in its canonical form: https, without a query; in development also plain http at a loopback address. Throws INVALID_REQUEST, naming `field`. */
export function agentUrlOf(text: string, field: string, { mode }: Pick<Config, 'mode'>): string {
  const isHere = mode === 'development' && URL.canParse(text) && isPlainLoopback(new URL(text)) && !/[#@]/.test(text)
  if (!isHere) requireHttpsUrl(text, field)
  const url = canonicalUrl(text).targetUri
  if (!url.includes('?')) return url
  const message = `${field} names the agent, for all to see: it has no query; leave out the ? and what follows`
  throw new AdcpError('INVALID_REQUEST', message, { field })
}
