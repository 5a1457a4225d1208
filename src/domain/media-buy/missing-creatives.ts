import { quoted } from '../../protocol/nearest-name.ts'
import { isTerminal, mediaBuyStatus } from './lifecycle.ts'
import type { CreativeFacts, MediaBuy, Package } from './media-buy.ts'

/** A creative that a package would need and does not have. The protocol has no member for it, and an impairment has to name a creative that served (core/impairment.json): `ext.missing_creatives`. */
export interface MissingCreative {
  readonly package_id: string
  /** The one that is assigned and not in the library; absent where none is assigned. */
  readonly creative_id?: string
  readonly message: string
}

/**
 * What the packages of a buy lack: creatives that are assigned and not in the library, and in the flight packages that nothing is assigned to, and those of which every creative is rejected. Empty for a buy
 * that is over.
 */
export function missingCreatives(buy: MediaBuy, creatives: CreativeFacts, now: Date): MissingCreative[] {
  if (isTerminal(mediaBuyStatus(buy, creatives, now))) return []
  return buy.packages.flatMap((pkg) => {
    if (pkg.cancellation || !pkg.needsCreatives) return []
    const { packageId: package_id } = pkg
    const facts = creatives.get(package_id) ?? []
    if (facts.length === 0 && isBare(pkg, now)) return [{ package_id, message: 'no creative is assigned: nothing of it serves' }]
    if (facts.length > 0 && facts.every(({ approval }) => approval === 'rejected'))
      return [{ package_id, message: refusedText(facts) }]
    return facts.flatMap(({ creativeId: creative_id, approval }) =>
      approval === undefined
        ? [
            {
              package_id,
              creative_id,
              message: `${quoted(creative_id)} is not in your library: it serves once sync_creatives has sent it`,
            },
          ]
        : [],
    )
  })
}

/** Of creatives that are all rejected. */
function refusedText(facts: readonly { readonly creativeId: string }[]): string {
  const [first = '', ...others] = facts.map(({ creativeId }) => quoted(creativeId))
  const named = others.length === 0 ? `${first} is` : `${first} and ${others.length} more are`
  return `${named} rejected: nothing of it serves until one that is approved is assigned`
}

/** Whether a package whose flight has begun has neither ads of its buyer nor any that the seller supplies. */
function isBare({ terms, pastServing }: Package, now: Date): boolean {
  return Date.parse(terms.startsAt) <= now.getTime() && pastServing.every(({ until }) => until !== undefined)
}

/** What the `ext.missing_creatives` of an answer says, in a sentence; undefined for anything else. */
export function missingSentence(missing: unknown): string | undefined {
  const entries: readonly unknown[] = Array.isArray(missing) ? missing : []
  const lines = entries.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null) return []
    const [id, message] = [Reflect.get(entry, 'package_id'), Reflect.get(entry, 'message')]
    return typeof id === 'string' && typeof message === 'string' ? [`package ${id}: ${message}`] : []
  })
  const shown = lines.slice(0, 5)
  const rest = lines.length - shown.length
  return lines.length === 0
    ? undefined
    : `Missing creatives: ${shown.join('; ')}${rest > 0 ? `; and ${rest} more` : ''} (ext.missing_creatives).`
}
