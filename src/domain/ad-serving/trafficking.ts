import type { DesiredCreative, DesiredOrder } from './desired-order.ts'
import type { ObservedOrder } from './observed-order.ts'

/** A creative that someone has to put on a line at an ad server by hand, and whether it is there. */
export interface Trafficked {
  readonly lineExternalId: string
  readonly creative: DesiredCreative
  readonly weight: number | null
  readonly placementIds: readonly string[] | null
  /** On the line, with the content that was approved. */
  readonly isLive: boolean
}

/** Characters of a content version that names carry: two versions of one creative never share them by chance. */
const VERSION_LENGTH = 8
/** Longest name of a creative at ad servers. */
const MOST_NAME = 255

/** How a creative has to be named at the ad server, so that it is found again by reading: `Banner [adcp cr_1 0a1b2c3d]`. */
export function trafficName({
  name,
  externalId,
  contentVersion,
}: Pick<DesiredCreative, 'name' | 'externalId' | 'contentVersion'>): string {
  const mark = ` [adcp ${externalId} ${contentVersion.slice(0, VERSION_LENGTH)}]`
  return `${name.replaceAll(/[[\]\r\n]/g, ' ').slice(0, MOST_NAME - mark.length)}${mark}`
}

/** What the name of a creative at an ad server says; undefined: it is none of ours. */
export function readTrafficName(text: string): { readonly externalId: string; readonly contentVersion: string } | undefined {
  const [, externalId, contentVersion] = /\[adcp (\S{1,200}) (\S{1,32})\]\s*$/.exec(text) ?? []
  return externalId === undefined || contentVersion === undefined ? undefined : { externalId, contentVersion }
}

/** Every creative of the lines of an order that run, and whether it is there. */
export function traffickedOf(desired: DesiredOrder, observed: ObservedOrder | undefined): readonly Trafficked[] {
  if (desired.state === 'ended') return []
  const creatives = new Map(desired.creatives.map((creative) => [creative.externalId, creative]))
  const versions = new Set(observed?.creatives.map(({ externalId, contentVersion }) => `${externalId} ${contentVersion}`))
  return desired.lines
    .filter(({ state }) => state !== 'ended')
    .flatMap(({ externalId, associations }) => {
      const line = observed?.lines.find((each) => each.externalId === externalId && each.state !== 'ended')
      const shown = new Set(line?.associations.map(({ creativeExternalId }) => creativeExternalId))
      return associations.flatMap(({ creativeExternalId, weight, placementIds }) => {
        const creative = creatives.get(creativeExternalId)
        if (!creative) return []
        const version = `${creativeExternalId} ${creative.contentVersion.slice(0, VERSION_LENGTH)}`
        return [
          {
            lineExternalId: externalId,
            creative,
            weight,
            placementIds,
            isLive: shown.has(creativeExternalId) && versions.has(version),
          },
        ]
      })
    })
}
