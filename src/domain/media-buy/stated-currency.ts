import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'

/**
 * Amounts are in the currency of their price: no release has `currency` beside them, and a buyer who states another one would be charged in a currency that they did not mean. `priced` names what has
 * the price, with its verb; `instead` says what to send to whoever means the stated one. Throws INVALID_REQUEST naming `currency` at `path`.
 */
export function requireSameCurrency(
  sent: object & { readonly currency?: unknown },
  currency: string,
  { path, priced, instead }: { readonly path?: string; readonly priced: string; readonly instead: (stated: string) => string },
): void {
  const { currency: stated } = sent
  if (typeof stated !== 'string' || stated.toUpperCase() === currency) return
  const field = path === undefined ? 'currency' : `${path}.currency`
  const message = `${field} is ${quoted(stated)}, and ${priced} priced in ${currency}: ${instead(stated.toUpperCase())}`
  throw new AdcpError('INVALID_REQUEST', message, { field })
}
