import { AdcpError } from '../../protocol/errors.ts'
import { defineAct } from '../act.ts'
import { object as jsonObject, text } from '../fields.ts'
import { READERS } from '../roles.ts'
import { about, anything, boolean, integer, listOf, mapOf, named, object, optional, orNull, string } from '../shape.ts'
import { buildAdagents } from './build-adagents.ts'
import { compareAdagents } from './compare-adagents.ts'
import { presentBuilt, presentComparison, presentVerdict } from './present-adagents.ts'
import { judgeDocument, validateServedAdagents } from './validate-adagents.ts'

// Several acts in one file: they list, change and remove the same thing.

const verdict = named(
  'AdagentsVerdict',
  object({
    where: optional(string),
    answered: optional(about('false: what is served could not be fetched, so that it is unknown whether it is valid', boolean)),
    valid: boolean,
    errors: listOf(string),
    warnings: listOf(string),
    authorized_agents: integer,
    properties: integer,
    points_at: optional(string),
  }),
)

/** Builds the adagents.json of the publisher's domain and validates it. Throws REFERENCE_NOT_FOUND. */
export const showAdagents = defineAct({
  name: 'adagents.show',
  route: 'GET /adagents',
  id: 'buildAdagents',
  roles: READERS,
  summary: 'The adagents.json for the publisher’s own domain, and the errors that the official schema finds in it.',
  fields: {},
  answer: object({
    document: mapOf(anything),
    domain: string,
    agent_url: string,
    hosted_at: string,
    properties: listOf(string),
    verdict,
  }),
  run: async (context) => presentBuilt(await buildAdagents(context, context.tenantId)),
})

/** Throws REFERENCE_NOT_FOUND. */
export const diffAdagents = defineAct({
  name: 'adagents.diff',
  route: 'GET /adagents/compare',
  id: 'compareAdagents',
  roles: READERS,
  summary: 'Compares what the publisher’s domain says of this agent with the imported properties.',
  fields: {},
  answer: object({
    domain: string,
    agent_url: string,
    hosted_at: string,
    points_here: boolean,
    served_from: orNull(string),
    answered: about('false: the domain could not be asked, so that what differs is unknown', boolean),
    missing_properties: listOf(string),
    extra_properties: listOf(string),
    reason: optional(string),
    same: boolean,
  }),
  command: {
    help: 'compare what the publisher’s domain says of this agent with the imported properties; exit code 1 when they differ, 2 when it could not be asked',
    fails: ({ same }) => !same,
    isUnknown: ({ answered }) => !answered,
    text: ({ domain, agent_url: agent, hosted_at: url, reason, answered, same, ...found }) =>
      answered
        ? [
            same ? `${domain} authorises ${agent} for all imported properties` : `${domain} and the imported properties differ`,
            ...(reason === undefined ? [] : [`nothing is served: ${reason}`]),
            ...found.missing_properties.map((id) => `- ${id}: imported, not authorised by ${domain}`),
            ...found.extra_properties.map((id) => `+ ${id}: authorised by ${domain}, not imported`),
            ...(same ? [] : [`publish {"authoritative_location":"${url}"} to follow what is imported`]),
          ]
        : [`unknown: ${domain} could not be asked: ${reason}`],
  },
  run: async (context) => presentComparison(await compareAdagents(context, context.tenantId)),
})

/** The command line validates a file too, without a store. */
export const validateAdagents = defineAct({
  name: 'adagents.validate',
  route: 'POST /adagents/validate',
  id: 'validateAdagents',
  roles: READERS,
  changes: false,
  summary: 'Judges an adagents.json: the one that is sent, or what an https URL or a domain serves.',
  fields: { document: jsonObject('the file'), where: text('an https URL or a domain') },
  answer: verdict,
  async run({ schemas, config, clock }, { document, where }) {
    const judging = { schemas, now: clock() }
    if (document && where === undefined) return presentVerdict(await judgeDocument(document, judging))
    if (where !== undefined && !document) return presentVerdict(await validateServedAdagents(config, where, judging))
    throw new AdcpError('INVALID_REQUEST', 'send either document or where', { field: 'document' })
  },
})
