import { defineAct } from '../act.ts'
import { flag } from '../fields.ts'
import { about, boolean, listOf, type Of, object, orNull, string } from '../shape.ts'
import { snakeMembers } from '../snake-members.ts'
import { authorizationShape } from './authorization-shape.ts'
import { describeAuthorization } from './describe-authorization.ts'
import { AGENT_URL, claimShape, DOMAIN, OF_DEPLOYMENT } from './publisher-shapes.ts'
import { explainListing } from './read-directory.ts'

export const explainDirectoryListing = defineAct({
  ...OF_DEPLOYMENT,
  name: 'directory.explain',
  route: 'GET /deployment/directory/explain',
  id: 'explainListing',
  summary: 'Why the directory lists an agent for a publisher or does not, and what the publisher’s own file says now.',
  fields: {
    agent_url: AGENT_URL,
    domain: DOMAIN,
    offline: flag('leave the publisher’s own file out'),
  },
  answer: object({
    agent_url: string,
    domain: string,
    claims: listOf(claimShape),
    not_listed_because: about('why there is no row; empty when there is one', listOf(string)),
    answered: about(
      'false: whom the publisher authorises is not known here, because its own address was not asked or gave no usable answer',
      boolean,
    ),
    notes: about(
      'what keeps the index from following the publisher’s file of now, such as a changed pointer that waits',
      listOf(string),
    ),
    source: about('what the publisher’s own file says; null: it was left out', orNull(authorizationShape)),
  }),
  command: {
    words: 'directory why',
    args: ['agent_url', 'domain'],
    help: 'why the directory lists an agent for a publisher, or does not; exit code 1 when it does not',
    fails: ({ not_listed_because: reasons }) => reasons.length > 0,
    text: ({ agent_url: agent, domain, not_listed_because: reasons, notes, claims, source }) => [
      `${domain} is ${reasons.length === 0 ? 'listed' : 'not listed'} for ${agent}`,
      ...reasons.map((reason) => `- ${reason}`),
      ...claims.map(claimLine),
      ...notes.map((note) => `note: ${note}`),
      ...(source ? [`asked now, the publisher's files say ${describeAuthorization(source, agent)}`] : []),
    ],
  },
  async run(context, { agent_url: agentUrl, domain, offline = false }) {
    const { source, agent, ...explained } = await explainListing(context, { agentUrl, domain, offline })
    return { agent_url: agent, ...explained, source: source ? snakeMembers(source) : null }
  },
})

function claimLine({
  shown,
  status,
  discovery_method: method,
  file_url: file,
  file_form: form,
  ...claim
}: Of<typeof claimShape>) {
  const how = `${method}${form === 'short' ? ', short form' : ''}`
  const { properties_authorized: some, properties_total: all, last_verified_at: at } = claim
  const why = claim.hidden_because === undefined ? '' : `: ${claim.hidden_because}`
  return `${shown ? 'shown' : 'not shown'}: ${file} (${how}): ${status}, ${some} of ${all} properties, verified ${at}${why}`
}
