import { SUPPLY_PATH_STATES } from '../../domain/directory/supply-path/types.ts'
import { defineAct } from '../act.ts'
import { READERS } from '../roles.ts'
import { about, boolean, either, list, listOf, named, object, optional, pageOf, string, word } from '../shape.ts'
import { snakeMembers } from '../snake-members.ts'
import { domainText, idText } from '../text-form.ts'
import { authorizationShape } from './authorization-shape.ts'
import { AGENT_URL, DOMAIN } from './publisher-shapes.ts'
import { verifyPublisher, verifySupplyPath } from './verify-publisher.ts'

const leg = either(object({ ok: word(true) }), object({ ok: word(false), failure: string }))

const supplyPath = named(
  'SupplyPathReport',
  object({
    owner_domain: string,
    host_domain: string,
    agent_url: string,
    unread: about('why a file gave nothing; empty when both did', listOf(string)),
    answered: about('false: a file could not be fetched, so that a stronger path may exist', boolean),
    semantics_version: string,
    state: word(...SUPPLY_PATH_STATES),
    legs: object({
      owner_collection_declared: leg,
      owner_distribution_carriage: leg,
      owner_agent_declared: leg,
      host_authorization: leg,
      inventory_partner_domain: about('what the host’s ads.txt or app-ads.txt says of the owner', leg),
    }),
    resolved_collection_id: optional(
      about('the collection that the verdict is about; absent when the owner declares none such', string),
    ),
  }),
)

/** The command line does it without a store too. Throws INVALID_REQUEST for a bad agent URL or domain. */
export const verifyAuthorization = defineAct({
  name: 'directory.verify',
  route: 'GET /verify',
  id: 'verifyPublisher',
  roles: READERS,
  summary:
    'Asks a publisher’s own domain whether it authorises an agent; with owner, whether the agent may sell a collection there.',
  fields: {
    domain: DOMAIN,
    agent_url: AGENT_URL,
    owner: domainText('domain of the owner of the collection'),
    collection: idText('the collection; default: the one with the strongest path'),
  },
  answer: either(pageOf(authorizationShape), supplyPath),
  async run(context, { domain, agent_url: agentUrl, owner: ownerDomain, collection: collectionId }) {
    if (ownerDomain === undefined) return list((await verifyPublisher(context, { domain, agentUrl })).map(snakeMembers))
    return verifySupplyPath(context.config, { hostDomain: domain, ownerDomain, agentUrl, collectionId })
  },
})
