import type { DesiredCreative, LineSettings, OrderKey, OrderSettings } from '../../domain/ad-serving/desired-order.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { MissingThere } from '../missing-there.ts'
import { snippetOf } from './creative-snippet.ts'
import { getThere } from './upstream-observe.ts'
import { findOrderId, getOrderId, idOf, listIn, marker, pathOf, requestId, textOf, type Upstream } from './upstream-parts.ts'

/** Writes an order. Throws UNSUPPORTED_FEATURE when it is there and the API changes none. */
export async function putOrder(up: Upstream, order: OrderKey, settings: OrderSettings): Promise<void> {
  const { api, ids, options } = up
  const budget = settings.budgetMicros / 1_000_000
  const known = await findOrderId(up, order)
  if (known !== undefined) {
    const there = await api.find(pathOf(known))
    if (!there) throw new MissingThere(`order ${known} is not at the ad server any more`)
    if (there.budget === budget) return
    if (options.sells === 'guaranteed')
      throw new AdcpError('UNSUPPORTED_FEATURE', 'this ad server changes no order that is there')
    await api.send('PATCH', pathOf(known), { budget })
    return
  }
  const made = await api.send('POST', '/v1/orders', {
    name: `${settings.name}${marker(order)}`,
    advertiser_id: settings.advertiserId,
    currency: settings.currency,
    budget,
    flight_start: settings.startsAt,
    flight_end: settings.endsAt,
    client_request_id: requestId(order, 'order'),
  })
  await ids.save(order, { kind: 'order', externalId: order.externalId, theirId: textOf(made.order_id), version: '' })
}

/** Writes a line. Throws UNSUPPORTED_FEATURE when another one of its id is there. */
export async function putLine(up: Upstream, order: OrderKey, externalId: string, settings: LineSettings): Promise<void> {
  const { api, ids, options } = up
  const orderId = await getOrderId(up, order)
  const known = await ids.list(order)
  if (idOf(known, 'line', externalId) !== undefined) {
    const { lines } = await getThere(up, order)
    if (lines.some((line) => line.externalId === externalId && line.settings.budgetMicros === settings.budgetMicros)) return
    throw new AdcpError('UNSUPPORTED_FEATURE', 'this ad server changes no line that is there')
  }
  const productId = options.products.get(settings.productId) ?? settings.productId
  const named = new Set(known.filter(({ kind }) => kind === 'line').map(({ theirId }) => theirId))
  const budget = settings.budgetMicros / 1_000_000
  // Added by an attempt that ended before it could remember the id.
  const lost = listIn(await api.find(`${pathOf(orderId)}/lineitems`), 'line_items').find(
    (line) => line.product_id === productId && line.budget === budget && !named.has(textOf(line.line_item_id)),
  )
  const body = { product_id: productId, budget, client_request_id: requestId(order, externalId) }
  const made = lost ?? (await api.send('POST', `${pathOf(orderId)}/lineitems`, body))
  await ids.save(order, { kind: 'line', externalId, theirId: textOf(made.line_item_id), version: '' })
}

/** Writes a creative, to the creative ad server where there is one. Throws UNSUPPORTED_FEATURE when its content cannot be exchanged. */
export async function putCreative(up: Upstream, order: OrderKey, creative: DesiredCreative): Promise<void> {
  const { api, creativeApi, ids, options } = up
  const { externalId, name, contentVersion } = creative
  const before = (await ids.list(order)).find((id) => id.kind === 'creative' && id.externalId === externalId)
  if (before?.version === contentVersion) return
  const shared = {
    name,
    format_id: options.formats.get(creative.formatId.id) ?? creative.formatId.id,
    advertiser_id: order.tenantId,
    client_request_id: requestId(order, `${externalId}/${contentVersion}`),
  }
  const content = { snippet: snippetOf(creative), ...clickOf(creative) }
  if (!creativeApi) {
    if (before)
      throw new AdcpError('UNSUPPORTED_FEATURE', `this ad server does not exchange a creative that is there (${externalId})`)
    const made = await api.send('POST', '/v1/creatives', { ...shared, snippet: content.snippet })
    await ids.save(order, { kind: 'creative', externalId, theirId: textOf(made.creative_id), version: contentVersion })
    return
  }
  // The seller's creative is a tag of the creative ad server, which shows what lies there now.
  const hosted = before?.theirId.split(' ')[1]
  if (before && hosted !== undefined) {
    await creativeApi.send('PATCH', `/v1/creatives/${encodeURIComponent(hosted)}`, { name, ...content })
    await ids.save(order, { ...before, version: contentVersion })
    return
  }
  const made = textOf((await creativeApi.send('POST', '/v1/creatives', { ...shared, ...content })).creative_id)
  const tag = await creativeApi.send('POST', `/v1/creatives/${encodeURIComponent(made)}/render`, { context: {} })
  const snippet = `<iframe src="${textOf(tag.tag_url)}"></iframe>`
  const own = await api.send('POST', '/v1/creatives', { ...shared, snippet })
  await ids.save(order, { kind: 'creative', externalId, theirId: `${textOf(own.creative_id)} ${made}`, version: contentVersion })
}

function clickOf({ assets }: DesiredCreative) {
  const click = Object.values(assets).find(
    (asset) => isObject(asset) && asset.asset_type === 'url' && typeof asset.url === 'string',
  )
  return isObject(click) ? { click_url: click.url } : {}
}
