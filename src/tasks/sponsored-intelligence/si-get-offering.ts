import { randomBytes } from 'node:crypto'
import type { SIGetOfferingRequest, SIGetOfferingResponse } from '@adcp/sdk/types'
import { matchProducts, presentOffering, presentProduct, unavailableReason } from '../../domain/si/offering.ts'
import { defineTask } from '../../pipeline/task.ts'
import { insertOfferingToken } from '../../store/si/si-sessions.ts'
import { offeringNamed } from './conversation.ts'
import { declareSponsor } from './declare-sponsor.ts'

/** AdCP si-get-offering-request.json, `product_limit`. */
const DEFAULT_PRODUCTS = 5
/** A quarter of an hour between an answer and the conversation that it leads to. */
const TTL_SECONDS = 900

export const siGetOffering = defineTask<SIGetOfferingRequest, SIGetOfferingResponse & { offering_id: string }>()({
  name: 'si_get_offering',
  access: 'authenticated',
  scope: 'sponsored_intelligence',
  summary: 'What a brand offers in conversations: availability, details, matching products, and a token to begin a session with.',
  // The token is stored, so that a session knows what was shown.
  writes: () => true,
  async handle(request, context) {
    const { tx, tenant, principal, services, now } = context
    const brandSet = await services.brands.load(tenant.tenantId)
    const offering = offeringNamed(brandSet, request.offering_id)
    const reason = unavailableReason(offering, now)
    // The id at the top too: that is where the official suite looks for it.
    const checked = {
      offering_id: offering.offering_id,
      checked_at: now.toISOString(),
      ttl_seconds: TTL_SECONDS,
      offering: presentOffering(offering),
    }
    if (reason !== undefined) {
      const others = (offering.alternative_offering_ids ?? []).filter((id) => {
        const other = brandSet.offeringsById.get(id)
        return other !== undefined && unavailableReason(other, now) === undefined
      })
      return {
        available: false,
        unavailable_reason: reason,
        ...(others.length > 0 && { alternative_offering_ids: others }),
        ...checked,
      }
    }
    const matching = matchProducts(offering.products ?? [], request.intent)
    const shown = request.include_products ? matching.slice(0, request.product_limit ?? DEFAULT_PRODUCTS) : []
    const token = `sit_${randomBytes(24).toString('base64url')}`
    await insertOfferingToken(tx, principal, token, {
      offeringId: offering.offering_id,
      shown: shown.map(({ product_id: id }) => id),
      expiresAt: new Date(now.getTime() + TTL_SECONDS * 1000),
    })
    return {
      available: true,
      offering_token: token,
      ...checked,
      ...(request.include_products && { matching_products: shown.map(presentProduct), total_matching: matching.length }),
      ...(await declareSponsor(offering, shown.length, context)),
    }
  },
})
