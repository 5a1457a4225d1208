import { addPrincipal } from '../../store/identity/principals.ts'
import { defineAct } from '../act.ts'
import { flag, text } from '../fields.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { readScopes, SCOPES } from '../scopes.ts'
import { BUYER, buyerShape, presentBuyer } from './list-principals.ts'
import { requirePrincipalId } from './principal-id.ts'

/** Adds a buyer agent to a publisher. Throws INVALID_REQUEST when the id is taken or has other characters, or a scope is unknown. */
export const addBuyer = defineAct({
  name: 'principals.add',
  route: 'POST /buyers',
  id: 'addBuyer',
  roles: ADMINISTRATORS,
  summary: 'Adds a buyer agent.',
  fields: {
    buyer: BUYER,
    name: text('name shown to people (default: the id)'),
    agent_url: text('the agent’s own address'),
    scopes: SCOPES,
    sandbox: flag('acts on simulated money only'),
    signing_required: flag('may change nothing unsigned'),
  },
  subject: 'buyer',
  answer: buyerShape,
  command: {
    args: ['buyer'],
    text: ({ principal, tenant }) => [
      `principal ${principal} of ${tenant}; make a key with: sales-agent keys create --tenant ${tenant} --principal ${principal}`,
    ],
  },
  async run({ store, tenantId, clock }, { buyer, name = buyer, agent_url: agentUrl, scopes, ...flags }) {
    const { sandbox = false, signing_required: signingRequired = false } = flags
    const facts = { tenantId, principalId: requirePrincipalId(buyer), name, agentUrl, sandbox, signingRequired }
    const allowed = await readScopes(scopes)
    return presentBuyer(await store.transaction((tx) => addPrincipal(tx, { ...facts, scopes: allowed }, clock())))
  },
})
