import { BUYER_STATUSES, TEXT_FORMS } from '../../domain/identity/principal.ts'
import { listPrincipals, type PrincipalRow } from '../../store/identity/principals.ts'
import { defineAct } from '../act.ts'
import { billingParty } from '../billing-parties.ts'
import { NAMED_BUYER, namedBuyer } from '../named-buyer.ts'
import { READERS } from '../roles.ts'
import { about, boolean, list, listOf, moment, named, type Of, object, orNull, pageOf, string, word } from '../shape.ts'

/** A buyer of a publisher. */
export const buyerShape = named(
  'Buyer',
  object({
    tenant: string,
    ...NAMED_BUYER,
    name: string,
    status: word(...BUYER_STATUSES),
    sandbox: boolean,
    scopes: listOf(string),
    signing_required: boolean,
    answer_text: about('form of the text beside structured content over MCP', word(...TEXT_FORMS)),
    billing: about('whom its accounts may name as billed; null: all that the publisher accepts', orNull(listOf(billingParty))),
    agent_url: orNull(string),
    created_at: moment,
  }),
)

/** The buyers of a publisher. */
export const listBuyers = defineAct({
  name: 'buyers.list',
  route: 'GET /buyers',
  id: 'listBuyers',
  roles: READERS,
  summary: 'The buyers of the publisher.',
  fields: {},
  answer: pageOf(buyerShape),
  command: {
    everyPublisher: true,
    columns: [
      ['TENANT', ({ tenant }) => tenant],
      ['BUYER', ({ buyer }) => buyer],
      ['STATUS', ({ status }) => status],
      ['SANDBOX', ({ sandbox }) => (sandbox ? 'yes' : '')],
      ['SCOPES', ({ scopes }) => scopes.join(',')],
      ['AGENT URL', (row) => row.agent_url ?? ''],
    ],
  },
  run: async ({ store, tenantId }) => list((await listPrincipals(store.read, tenantId)).map(presentBuyer)),
})

/** A buyer as people see it. */
export function presentBuyer(row: PrincipalRow): Of<typeof buyerShape> {
  return {
    tenant: row.tenant_id,
    ...namedBuyer(row.principal_id),
    name: row.name,
    status: row.status,
    sandbox: row.sandbox === 1,
    scopes: JSON.parse(row.scopes),
    signing_required: row.signing_required === 1,
    answer_text: row.text_form,
    billing: row.billing === null ? null : JSON.parse(row.billing),
    agent_url: row.agent_url,
    created_at: row.created_at,
  }
}
