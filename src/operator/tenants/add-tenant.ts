import { AdcpError } from '../../protocol/errors.ts'
import { addTenant as addStoredTenant, requireFreeDomain } from '../../store/identity/tenants.ts'
import { defineAct } from '../act.ts'
import { requireDomain } from '../domain-name.ts'
import { required } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { PUBLISHER, PUBLISHER_DOMAIN, PUBLISHER_NAME, presentTenant, type ShownTenant, tenantShape } from './present-tenant.ts'
import { requireName } from './set-tenant.ts'

/** Ids are part of paths (`/t/{tenant}/mcp`). */
const ID = /^[a-z0-9][a-z0-9-]{0,63}$/

interface NewTenant {
  readonly tenantId: string
  readonly name?: string | undefined
  readonly domain: string
}

/** The first publisher is the default of public calls. Throws INVALID_REQUEST for an id that is taken or has other characters, and for what is no domain. */
export const addPublisher = defineAct({
  name: 'tenants.add',
  route: 'POST /deployment/publishers',
  id: 'addPublisher',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  publisher: 'publisher',
  summary: 'Adds a publisher.',
  fields: {
    publisher: PUBLISHER,
    name: PUBLISHER_NAME,
    domain: required(PUBLISHER_DOMAIN),
  },
  answer: tenantShape,
  command: {
    args: ['publisher'],
    text: ({ tenant, domain, public_default: isDefault }) => [
      `tenant ${tenant} (${domain})${isDefault ? ', default of public calls' : ''}`,
    ],
  },
  run: (context, { publisher: tenantId, ...rest }) => insertTenant(context, { tenantId, ...rest }),
})

async function insertTenant(
  { store, clock }: Pick<OperatorContext, 'store' | 'clock'>,
  { tenantId, name = tenantId, domain }: NewTenant,
): Promise<ShownTenant> {
  if (!ID.test(tenantId)) throw new AdcpError('INVALID_REQUEST', 'an id has 1–64 of a–z, 0–9 and -', { field: 'publisher' })
  const tenant = { tenantId, name: requireName(name), domain: requireDomain(domain, 'domain') }
  return store.transaction(async (tx) => {
    await requireFreeDomain(tx, tenant.domain, tenantId)
    return presentTenant(await addStoredTenant(tx, tenant, clock()))
  })
}
