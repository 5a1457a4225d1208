import { addTenant as addStoredTenant, requireFreeDomain } from '../../store/identity/tenants.ts'
import { type ActContext, defineAct } from '../act.ts'
import { requireDomain } from '../domain-name.ts'
import { logged, required } from '../fields.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { inForm, type TextForm } from '../text-form.ts'
import { PUBLISHER_DOMAIN, PUBLISHER_ID, PUBLISHER_NAME, presentTenant, type ShownTenant, tenantShape } from './present-tenant.ts'

/** Ids are part of paths (`/t/{tenant}/mcp`). */
const ID: TextForm = {
  pattern: '^[a-z0-9][a-z0-9\\-]*$',
  words: 'small letters, digits and hyphens, beginning with a letter or a digit',
}

interface NewTenant {
  readonly tenantId: string
  readonly name?: string | undefined
  readonly domain: string
}

/** The first publisher is the default of public calls. Throws INVALID_REQUEST for an id that is taken, and for what is no domain. */
export const addPublisher = defineAct({
  name: 'tenants.add',
  route: 'POST /deployment/publishers',
  id: 'addPublisher',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  publisher: 'publisher',
  summary: 'Adds a publisher.',
  fields: {
    publisher: required(inForm(ID, PUBLISHER_ID)),
    name: PUBLISHER_NAME,
    domain: logged(required(PUBLISHER_DOMAIN)),
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
  { store, clock, noteChanges }: ActContext,
  { tenantId, name = tenantId, domain }: NewTenant,
): Promise<ShownTenant> {
  const tenant = { tenantId, name, domain: requireDomain(domain, 'domain') }
  return store.transaction(async (tx) => {
    await requireFreeDomain(tx, tenant.domain, tenantId)
    const added = presentTenant(await addStoredTenant(tx, tenant, clock()))
    noteChanges({ name: [null, name], public: [null, added.public_default] })
    return added
  })
}
