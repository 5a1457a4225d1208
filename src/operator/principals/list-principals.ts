import { listPrincipals, type PrincipalRow } from '../../store/identity/principals.ts'
import { defineAct } from '../act.ts'
import { billingParty } from '../billing-parties.ts'
import { required, text } from '../fields.ts'
import { READERS } from '../roles.ts'
import { about, boolean, list, listOf, moment, named, type Of, object, orNull, pageOf, string, word } from '../shape.ts'

/** The field of a list that is about one buyer. */
export const OF_BUYER = text('of one buyer')

/** The field that names a buyer. */
export const BUYER = required(text('id of the buyer'))

/** What the text beside structured content over MCP is. */
export const TEXT_FORMS = ['summary', 'json'] as const

/** A buyer agent of a publisher. */
export const buyerShape = named(
  'Buyer',
  object({
    tenant: string,
    principal: about('its id', string),
    name: string,
    status: word('active', 'suspended'),
    sandbox: boolean,
    scopes: listOf(string),
    signing_required: boolean,
    answer_text: word(...TEXT_FORMS),
    billing: about('whom its accounts may name as billed; null: all that the publisher accepts', orNull(listOf(billingParty))),
    agent_url: orNull(string),
    created_at: moment,
  }),
)

/** The buyer agents of a publisher. */
export const listBuyers = defineAct({
  name: 'principals.list',
  route: 'GET /buyers',
  id: 'listBuyers',
  roles: READERS,
  summary: 'The buyer agents.',
  fields: {},
  answer: pageOf(buyerShape),
  command: {
    everyPublisher: true,
    columns: [
      ['TENANT', ({ tenant }) => tenant],
      ['PRINCIPAL', ({ principal }) => principal],
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
    principal: row.principal_id,
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
