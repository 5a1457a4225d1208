import type { GetRightsRequest, GetRightsResponse } from '@adcp/sdk/types'
import { type Page, pageOf } from '../../domain/page.ts'
import type { BuyerFacts } from '../../domain/rights/clearance.ts'
import { dayOf } from '../../domain/rights/grant.ts'
import { searchRights } from '../../domain/rights/search.ts'
import { defineTask } from '../../pipeline/task.ts'
import { standingAgreements } from '../../store/rights/rights-grants.ts'
import { buyerFacts } from './buyer-facts.ts'

type Listed = GetRightsResponse & { pagination?: Page<unknown>['pagination'] }

export const getRights = defineTask<GetRightsRequest, Listed>()({
  name: 'get_rights',
  access: 'authenticated',
  scope: 'brand',
  summary: 'Search rights that can be licensed (likeness, voice, music, AI images) by text, uses and countries, with prices.',
  prepare: (request, context): Promise<BuyerFacts> => buyerFacts(context, request.buyer_brand),
  async handle(request, { tx, tenant, principal, services, now }, buyer) {
    const { rights: offerings } = await services.brands.load(tenant.tenantId)
    const today = dayOf(now)
    const others = await standingAgreements(tx, principal, { today })
    const { rights, excluded } = searchRights(offerings, request, { buyer, others, today })
    const { query, uses, buyer_brand, countries, brand_id, right_type } = request
    const asked = [tenant.tenantId, query, uses, buyer_brand ?? null, countries ?? null, brand_id ?? null, right_type ?? null]
    const page = pageOf(rights, (right) => right.rights_id, asked, request.pagination)
    return {
      rights: [...page.items],
      ...(request.include_excluded && { excluded: [...excluded] }),
      pagination: page.pagination,
    }
  },
})
