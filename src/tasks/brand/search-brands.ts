import type { AcquireRightsRequest } from '@adcp/sdk/types'
import { type PageRequest, pageOf } from '../../domain/page.ts'
import { type BrandSearch, searchBrands as findBrands } from '../../domain/rights/search-brands.ts'
import { defineTask } from '../../pipeline/task.ts'
import type { Contract } from '../../protocol/contract.ts'
import { buyerFacts } from './buyer-facts.ts'

interface SearchBrandsRequest extends BrandSearch {
  readonly buyer_brand?: AcquireRightsRequest['buyer']
  readonly pagination?: PageRequest
}

export const searchBrands = defineTask<SearchBrandsRequest>()({
  name: 'search_brands',
  since: '3.1',
  access: 'authenticated',
  scope: 'brand',
  summary: 'Find brands of this agent by words, industries and countries; then get_brand_identity or get_rights for one of them.',
  prepare: (request, context) => buyerFacts(context, request.buyer_brand),
  async handle(request, { tenant, services, contract }, buyer) {
    const { brands, house, rights } = await services.brands.load(tenant.tenantId)
    const found = house
      ? findBrands({ house, brands: [...brands.values()], rights, industries: industriesOf(contract) }, request, buyer)
      : []
    const { query, industries, countries, buyer_brand } = request
    const asked = [tenant.tenantId, query, industries ?? null, countries ?? null, buyer_brand ?? null]
    const page = pageOf(found, idOf, asked, request.pagination)
    return { brands: [...page.items], pagination: page.pagination }
  },
})

function industriesOf({ schemas }: Contract): ReadonlySet<string> {
  const { enum: names } = schemas.document('enums/advertiser-industry.json')
  return new Set(Array.isArray(names) ? names : [])
}

function idOf(brand: object): string {
  return 'brand_id' in brand ? String(brand.brand_id) : ''
}
