import type { ListCreativeFormatsResponse, ListCreativesResponse, SyncCreativesResponse } from '@adcp/sdk/types'
import { AdcpError } from '../../protocol/errors.ts'
import type { Offer } from './choose-offer.ts'
import { creativeFor } from './creative-assets.ts'
import { ACCOUNT, approveHere, type FirstBuyParts, poll } from './step.ts'

/** Sends a creative in a format of the product and assigns it to the package. Throws AdcpError when it is not approved. */
export async function sendCreative(parts: FirstBuyParts, { product }: Offer, packageId: string): Promise<void> {
  const { call, report, newId } = parts
  const creative = await fillFormat(parts, product)
  const creativeId = `try-${newId()}`
  const request = {
    account: ACCOUNT,
    idempotency_key: newId(),
    creatives: [
      { creative_id: creativeId, name: 'Acme trail shoes', format_id: creative.format.format_id, assets: creative.assets },
    ],
    assignments: [{ creative_id: creativeId, package_id: packageId }],
  }
  const answer = await call<SyncCreativesResponse>('sync_creatives', request)
  const [result] = 'creatives' in answer ? answer.creatives : []
  report({
    actor: 'buyer',
    call: 'sync_creatives',
    request,
    answer,
    lines: [`${result?.action ?? 'no result'}, assigned to the package: ${result?.status ?? 'no status'}`],
  })
  if (result?.action === 'failed' || result?.status === 'rejected')
    throw new AdcpError('INVALID_REQUEST', `the creative is refused: ${JSON.stringify(result.errors ?? [])}`)
  if (result?.status === 'pending_review') await awaitReview(parts, creativeId)
}

async function fillFormat({ call, report }: FirstBuyParts, { product_id: id, format_ids: formatIds }: Offer['product']) {
  const request = { format_ids: formatIds }
  const answer = await call<ListCreativeFormatsResponse>('list_creative_formats', request)
  const creative = creativeFor(answer.formats ?? [])
  report({
    actor: 'buyer',
    call: 'list_creative_formats',
    request,
    answer,
    lines: [`${answer.formats?.length ?? 0} formats${creative ? `; chosen: ${creative.format.format_id.id}` : ''}`],
  })
  if (creative) return creative
  throw new AdcpError(
    'INVALID_REQUEST',
    `no format of ${id} can be filled with an image, an address and texts; choose another product with --brief`,
  )
}

/** A person at the publisher may review creatives. */
async function awaitReview(parts: FirstBuyParts, creativeId: string): Promise<void> {
  await approveHere(parts, 'creative', creativeId)
  const request = { filters: { creative_ids: [creativeId] } }
  const { answer } = await poll(
    parts,
    () => parts.call<ListCreativesResponse>('list_creatives', request),
    ({ creatives }) => creatives[0]?.status !== 'pending_review',
  )
  const status = answer.creatives[0]?.status
  parts.report({ actor: 'buyer', call: 'list_creatives', request, answer, lines: [`${creativeId} is ${status}`] })
  if (status !== 'approved')
    throw new AdcpError(
      'INVALID_REQUEST',
      `the creative is ${status}; the publisher decides with "sales-agent approvals"; wait longer with --wait`,
    )
}
