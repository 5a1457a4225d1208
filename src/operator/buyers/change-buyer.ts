import { BILLING_PARTIES, BUYER_STATUSES, TEXT_FORMS } from '../../domain/identity/principal.ts'
import type { Db } from '../../store/database.ts'
import { getPrincipal } from '../../store/identity/identities.ts'
import { setAgentBilling, setPrincipalStatus, setSigningRequired, setTextForm } from '../../store/identity/principals.ts'
import { defineAct, type Watching } from '../act.ts'
import { billingParties, billingParty, readBillingParties } from '../billing-parties.ts'
import { flag, oneOf, required, some } from '../fields.ts'
import { BUYER, namedBuyer } from '../named-buyer.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { boolean, either, listOf, object, string, word } from '../shape.ts'
import { presentBuyer } from './list-buyers.ts'

// Several acts in one file: they list, change and remove the same thing.

/** What the acts of this file change of a buyer. Throws REFERENCE_NOT_FOUND. */
async function watchedBuyer(tx: Db, { tenantId }: Watching, { buyer }: { readonly buyer: string }) {
  const { status, signing_required, answer_text, billing } = presentBuyer(await getPrincipal(tx, tenantId, buyer))
  return { status, signing_required, answer_text, billing: billing ?? 'all' }
}

/** What scripts read from `buyers … --json`. */
function asBefore<A extends { readonly buyer: string }>({ buyer, ...rest }: A, _values: unknown, tenant: string) {
  return { tenant, ...namedBuyer(buyer), ...rest }
}

/** Stops all keys of a buyer, or lets them work again. Throws REFERENCE_NOT_FOUND. */
export const setBuyerStatus = defineAct({
  name: 'buyers.status',
  route: 'PUT /buyers/{buyer}/status',
  id: 'setBuyerStatus',
  roles: ADMINISTRATORS,
  summary: 'Stops all keys of a buyer, or lets them work again.',
  fields: { buyer: BUYER, status: required(oneOf(BUYER_STATUSES, 'the new status')) },
  answer: object({ buyer: string, status: word(...BUYER_STATUSES) }),
  command: {
    words: 'buyers suspend',
    help: 'stop all keys of a buyer (--resume lets them work again)',
    switches: { status: { flag: 'resume', about: 'let them work again', on: 'active', off: 'suspended' } },
    text: ({ buyer, status }) => [`buyer ${buyer} is ${status}`],
    json: asBefore,
  },
  watch: watchedBuyer,
  async run({ store, tenantId }, { buyer, status }) {
    await store.transaction((tx) => setPrincipalStatus(tx, tenantId, buyer, status))
    return { buyer, status }
  },
})

/** Whether a buyer has to sign what changes state, whatever the profile of its publisher. Throws REFERENCE_NOT_FOUND. */
export const requireSigning = defineAct({
  name: 'buyers.require-signing',
  route: 'PUT /buyers/{buyer}/signing',
  id: 'requireSigning',
  roles: ADMINISTRATORS,
  summary: 'Sets whether a buyer has to sign calls that change state.',
  fields: { buyer: BUYER, required: required(flag('true: nothing unsigned counts')) },
  answer: object({ buyer: string, signing_required: boolean }),
  command: {
    help: 'require a buyer to sign calls that change state, whatever the profile (--off ends it)',
    switches: {
      required: { flag: 'off', about: 'unsigned changes are taken again, as the profile says', on: false, off: true },
    },
    text: ({ buyer, signing_required: needed }) => [
      `buyer ${buyer} ${needed ? 'has to sign what changes state' : 'may use any credential that its publisher accepts'}`,
    ],
    json: asBefore,
  },
  watch: watchedBuyer,
  async run({ store, tenantId }, { buyer, required }) {
    await store.transaction((tx) => setSigningRequired(tx, tenantId, buyer, required))
    return { buyer, signing_required: required }
  },
})

/** Sets the form of the text beside structured content over MCP for a buyer. Throws REFERENCE_NOT_FOUND. */
export const setAnswerText = defineAct({
  name: 'buyers.answer-text',
  route: 'PUT /buyers/{buyer}/answer-text',
  id: 'setAnswerText',
  roles: ADMINISTRATORS,
  summary: 'Sets the form of the text beside structured content over MCP for a buyer.',
  fields: { buyer: BUYER, form: required(oneOf(TEXT_FORMS, 'json: for clients that parse the text; default: summary')) },
  answer: object({ buyer: string, answer_text: word(...TEXT_FORMS) }),
  command: {
    args: ['buyer', 'form'],
    text: ({ buyer, answer_text: form }) => [
      `answers to ${buyer} carry ${form === 'json' ? 'their data as JSON text too' : 'a summary as text'}`,
    ],
    json: asBefore,
  },
  watch: watchedBuyer,
  async run({ store, tenantId }, { buyer, form }) {
    await store.transaction((tx) => setTextForm(tx, tenantId, buyer, form))
    return { buyer, answer_text: form }
  },
})

/** Sets which billing parties a buyer may name for its accounts. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST for another word. */
export const setBuyerBilling = defineAct({
  name: 'buyers.billing',
  route: 'PUT /buyers/{buyer}/billing',
  id: 'setBuyerBilling',
  roles: ADMINISTRATORS,
  summary: 'Sets which parties the accounts of a buyer may name as billed.',
  fields: {
    buyer: BUYER,
    parties: some(billingParties(`of ${BILLING_PARTIES.join(', ')}; all, or absent: all that the publisher accepts`)),
  },
  answer: object({ buyer: string, billing: either(word('all'), listOf(billingParty)) }),
  command: {
    args: ['buyer', 'parties'],
    text: ({ buyer, billing }) => [
      `accounts of ${buyer} may be billed to: ${billing === 'all' ? 'everybody whom the publisher accepts' : billing.join(', ')}`,
    ],
    json: asBefore,
  },
  watch: watchedBuyer,
  async run({ store, tenantId }, { buyer, parties = ['all'] }) {
    const billing = readBillingParties(parties.includes('all') ? 'all' : parties)
    await store.transaction((tx) => setAgentBilling(tx, tenantId, buyer, billing))
    return { buyer, billing: billing ?? ('all' as const) }
  },
})
