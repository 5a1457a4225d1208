import type { GetBrandIdentityRequest, GetBrandIdentityResponse } from '@adcp/sdk/types'
import { presentIdentity } from '../../domain/brand/present-identity.ts'
import { defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isLinked } from './is-linked.ts'

export const getBrandIdentity = defineTask<GetBrandIdentityRequest, GetBrandIdentityResponse>()({
  name: 'get_brand_identity',
  access: 'limited',
  scope: 'brand',
  summary:
    'Identity of a brand: names, logos and description for everybody; colours, tone, voice, assets and rights with an account.',
  async handle(request, context) {
    const { brands, house, rights } = await context.services.brands.load(context.tenant.tenantId)
    const brand = brands.get(request.brand_id)
    if (!brand || !house) {
      throw new AdcpError('BRAND_NOT_FOUND', 'this agent has no such brand', {
        field: 'brand_id',
        suggestion: 'take the id from the brands of the brand.json',
      })
    }
    return presentIdentity(brand, {
      house,
      linked: await isLinked(context),
      fields: request.fields,
      useCase: request.use_case,
      rights: rights.filter((right) => right.brand_id === brand.brand_id),
    })
  },
})
