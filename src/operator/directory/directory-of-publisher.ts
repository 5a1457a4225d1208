import { publicOrigin } from '../../config/config.ts'
import { parseLookup } from '../../domain/directory/lookup-query.ts'
import type { PublisherEntry } from '../../features/directory/envelope.ts'
import { readEnvelope } from '../../features/directory/lookup.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { createDirectoryReader } from '../../store/directory/directory-lookup.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { defineAct } from '../act.ts'
import type { OperatorContext } from '../operator-context.ts'
import { READERS } from '../roles.ts'
import { about, integer, listOf, moment, type Of, object, orNull, string } from '../shape.ts'
import { table } from '../text-table.ts'
import { crawlMembers } from './crawled-publisher.ts'
import { publisherStatus } from './read-directory.ts'

/** Publishers of one answer. */
const SHOWN_PUBLISHERS = 100

const crawlShape = object(crawlMembers)
export type PublisherCrawl = Of<typeof crawlShape>

/** What the directory of the deployment knows of a publisher, for its people. */
export const showOwnDirectory = defineAct({
  name: 'directory.own',
  route: 'GET /directory',
  id: 'showOwnDirectory',
  roles: READERS,
  summary: 'Which agents may sell for this publisher, and which publishers authorise this agent.',
  fields: {},
  answer: object({
    domain: string,
    crawl: about('null: its domain is not on the crawl list', orNull(crawlShape)),
    authorised_by: about(
      `publishers whose files authorise this agent, the first ${SHOWN_PUBLISHERS} by domain`,
      listOf(
        object({
          publisher_domain: string,
          discovery_method: string,
          manager_domain: orNull(string),
          properties_authorized: integer,
          properties_total: integer,
          last_verified_at: moment,
        }),
      ),
    ),
  }),
  command: {
    text: ({ domain, crawl, authorised_by: publishers }) => [
      crawl === null
        ? `${domain} is not on the crawl list`
        : `${domain} serves ${crawl.serves}; next visit ${crawl.next_attempt_at}`,
      ...table(
        ['AGENT', 'FOUND BY', 'STATUS'],
        (crawl?.claims ?? []).map((claim) => [claim.agent_url, claim.discovery_method, claim.status]),
      ),
      ...(crawl?.not_listed_because ?? []).map((reason) => `not listed: ${reason}`),
      '',
      ...table(
        ['AUTHORISED BY', 'FOUND BY', 'PROPERTIES'],
        publishers.map((each) => [
          each.publisher_domain,
          each.discovery_method,
          `${each.properties_authorized} of ${each.properties_total}`,
        ]),
      ),
    ],
  },
  async run(context) {
    const { domain = '' } = (await findTenant(context.store.read, context.tenantId)) ?? {}
    const known = await publisherStatus(context, domain).catch(undefinedWhenUnknown)
    return {
      domain,
      crawl: known ? withoutLease(known) : null,
      authorised_by: (await publishersThatAuthorise(context)).map((each) => ({
        publisher_domain: each.publisher_domain,
        discovery_method: each.discovery_method,
        manager_domain: each.manager_domain,
        properties_authorized: each.properties_authorized,
        properties_total: each.properties_total,
        last_verified_at: each.last_verified_at,
      })),
    }
  },
})

/** Which process visits it now concerns those who run the deployment. */
function withoutLease({ lease, ...crawl }: Awaited<ReturnType<typeof publisherStatus>>): PublisherCrawl {
  return crawl
}

async function publishersThatAuthorise(context: OperatorContext): Promise<readonly PublisherEntry[]> {
  const now = context.clock()
  const agentUrl = `${publicOrigin(context.config)}/mcp`
  const query = parseLookup({ agentUrl, status: ['authorized'], limit: SHOWN_PUBLISHERS }, now)
  const envelope = await readEnvelope(createDirectoryReader(context.store.read), query, now).catch(undefinedWhenUnknown)
  return envelope?.publishers ?? []
}

function undefinedWhenUnknown(error: unknown): undefined {
  if (error instanceof AdcpError && error.code === 'REFERENCE_NOT_FOUND') return undefined
  throw error
}
