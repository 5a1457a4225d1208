import type { Message } from './client.ts'
import type { GamParts } from './gam-parts.ts'
import { inBatches, messageOf, textOf } from './messages.ts'
import type { Written } from './remembered.ts'
import { childOf, elementsOf, statement, textsIn, typeOf } from './soap-elements.ts'

/** Ids in one statement: no more than results of one page. */
const BATCH = 500

/** Members of a creative that we write, as they are at the network, made equal where they mean the same. */
export function comparableCreative(creative: Message): Written {
  const [size, html5, image] = ['size', 'html5Asset', 'primaryImageAsset'].map((name) => messageOf(creative, name))
  const video = messageOf(creative, 'videoAssets')
  const texts = ['name', 'snippet', 'imageUrl', 'altText', 'vastXmlUrl', 'destinationUrl', 'creativeTemplateId']
  const values = elementsOf(creative, 'creativeTemplateVariableValues')
  return {
    type: typeOf(creative) ?? null,
    size: `${textOf(size, 'width')}x${textOf(size, 'height')}`,
    ...Object.fromEntries(texts.map((name) => [name, textOf(creative, name) ?? null])),
    assets: [html5, image].flatMap((asset) => (asset ? [textOf(asset, 'assetId') ?? textOf(asset, 'fileName') ?? null] : [])),
    video: textOf(video, 'redirectUrl') ?? null,
    trackers: [...textsIn(creative, 'thirdPartyImpressionTrackingUrls'), ...trackingUrls(creative)].sort(),
    values: values.map((value) => `${textOf(value, 'uniqueName')}: ${textOf(value, 'value')}`).sort(),
  }
}

function trackingUrls(creative: Message): readonly string[] {
  return elementsOf(creative, 'trackingUrls').flatMap((entry) => textsIn(childOf(entry, 'value') ?? {}, 'urls'))
}

/** Creatives of the network by id; those that are not there are left out. */
export async function creativesById(
  { soap }: Pick<GamParts, 'soap'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Message>> {
  const found = await Promise.all(
    inBatches(ids, BATCH).map((batch) => findCreatives(soap, statement(`WHERE id IN (${batch.join(', ')}) LIMIT ${BATCH}`))),
  )
  return new Map(found.flat().flatMap((creative) => [[textOf(creative, 'id') ?? '', creative] as const]))
}

/** Creatives that a statement asks for. */
export async function findCreatives(
  soap: GamParts['soap'],
  filterStatement: ReturnType<typeof statement>,
): Promise<readonly Message[]> {
  const [page] = await soap.call('CreativeService', 'getCreativesByStatement', { filterStatement }, 'repeatable')
  return page ? elementsOf(page, 'results') : []
}
