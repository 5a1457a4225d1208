import { addPrincipal } from '../../store/identity/principals.ts'
import { defineAct } from '../act.ts'
import { changedMembers } from '../changed-members.ts'
import { atMost, flag, text } from '../fields.ts'
import { NEW_BUYER } from '../named-buyer.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { readScopes, SCOPES } from '../scopes.ts'
import { agentUrlOf } from './agent-url.ts'
import { buyerShape, presentBuyer } from './list-buyers.ts'

/** Adds a buyer to a publisher. Throws INVALID_REQUEST when the id is taken or a scope is unknown. */
export const addBuyer = defineAct({
  name: 'buyers.add',
  route: 'POST /buyers',
  id: 'addBuyer',
  roles: ADMINISTRATORS,
  summary: 'Adds a buyer.',
  fields: {
    buyer: NEW_BUYER,
    name: atMost(200, text('name shown to people (default: the id)')),
    agent_url: text('the https address of its agent; in development also plain http at a loopback address'),
    scopes: SCOPES,
    sandbox: flag('acts on simulated money only'),
    signing_required: flag('may change nothing unsigned'),
  },
  subject: 'buyer',
  answer: buyerShape,
  command: {
    args: ['buyer'],
    text: ({ buyer, tenant }) => [
      `buyer ${buyer} of ${tenant}; make a key with: sales-agent keys create --tenant ${tenant} --buyer ${buyer}`,
    ],
  },
  async run({ store, tenantId, clock, config, noteChanges }, { buyer, name = buyer, agent_url: agentUrl, scopes, ...flags }) {
    const { sandbox = false, signing_required: signingRequired = false } = flags
    const address = agentUrl ? agentUrlOf(agentUrl, 'agent_url', config) : undefined
    const facts = { tenantId, principalId: buyer, name, agentUrl: address, sandbox, signingRequired }
    const allowed = await readScopes(scopes)
    return store.transaction(async (tx) => {
      const added = presentBuyer(await addPrincipal(tx, { ...facts, scopes: allowed }, clock()))
      noteChanges(changedMembers({}, { name, scopes: allowed, agent_url: address, sandbox, signing_required: signingRequired }))
      return added
    })
  },
})
