import { defineAct } from '../act.ts'
import { CURSOR, flag } from '../fields.ts'
import { ADMINISTRATORS } from '../roles.ts'
import {
  about,
  boolean,
  integer,
  list,
  listOf,
  mapOf,
  moment,
  named,
  number,
  type Of,
  object,
  orNull,
  pageOf,
  string,
  word,
} from '../shape.ts'
import { snakeMembers } from '../snake-members.ts'
import { table } from '../text-table.ts'
import { authorizationShape } from './authorization-shape.ts'
import { crawlPublishers } from './crawl-publishers.ts'
import { describeAuthorization } from './describe-authorization.ts'
import { describeHolder } from './describe-leases.ts'
import { AGENT_URL, claimShape, DOMAIN, method, publisherShape, serves } from './publisher-shapes.ts'
import { crawlListPages, exclusionPages, explainListing, publisherStatus, readStats } from './read-directory.ts'

/** Rows of a page of a list. */
const PAGE = 1_000
const OF_DEPLOYMENT = { roles: ADMINISTRATORS, scope: 'deployment' } as const

export const readDirectoryStats = defineAct({
  ...OF_DEPLOYMENT,
  name: 'directory.stats',
  route: 'GET /deployment/directory',
  id: 'readDirectoryStats',
  summary: 'How much the directory holds.',
  fields: {},
  answer: named(
    'DirectoryStats',
    object({
      publishers: about('names on the crawl list, by what their well-known address serves', mapOf(integer)),
      due: integer,
      leased: integer,
      mentioned: about('names that only a selector mentions', integer),
      excluded: about('names that are not on the list, by why', mapOf(integer)),
      agents: integer,
      authorized: integer,
      revoked: integer,
      files: about('files that count at the moment', integer),
    }),
  ),
  command: {
    text: (stats) => [
      `crawl list: ${counted(stats.publishers)}; ${stats.due} due, ${stats.leased} being refreshed, ${stats.mentioned} merely mentioned`,
      `not on it: ${counted(stats.excluded)}`,
      `index: ${stats.authorized} authorised and ${stats.revoked} revoked rows of ${stats.agents} agents, from ${stats.files} files`,
    ],
  },
  run: (context) => readStats(context),
})

/** The command line prints the whole list, page by page. */
export const listCrawlList = defineAct({
  ...OF_DEPLOYMENT,
  name: 'directory.list-publishers',
  route: 'GET /deployment/directory/publishers',
  id: 'listCrawlList',
  summary: 'The crawl list in byte order of the domains, by pages of 1,000.',
  fields: CURSOR,
  answer: pageOf(publisherShape),
  run: (context, { cursor }) => firstPage(crawlListPages(context, cursor)),
})

export const listExclusions = defineAct({
  ...OF_DEPLOYMENT,
  name: 'directory.list-exclusions',
  route: 'GET /deployment/directory/exclusions',
  id: 'listExclusions',
  summary: 'Names that were dropped, removed or blocked, by pages of 1,000.',
  fields: CURSOR,
  answer: pageOf(
    named(
      'DirectoryExclusionRow',
      object({
        publisher_domain: string,
        kind: about(
          'dropped: gave nothing for months; opted_out: its robots.txt says so; removed and blocked: by an operator. Blocked names have no rows at all',
          word('dropped', 'opted_out', 'removed', 'blocked'),
        ),
        reason: string,
        excluded_at: moment,
      }),
    ),
  ),
  run: (context, { cursor }) => firstPage(exclusionPages(context, cursor)),
})

export const showCrawledPublisher = defineAct({
  ...OF_DEPLOYMENT,
  name: 'directory.status',
  route: 'GET /deployment/directory/publishers/{domain}',
  id: 'showCrawledPublisher',
  summary: 'What is known of a publisher, and how its last refreshes went.',
  fields: { domain: DOMAIN },
  answer: object({
    domain: string,
    serves,
    discovery_method: method,
    manager_domain: orNull(string),
    pending_pointer: orNull(string),
    next_attempt_at: moment,
    lease: orNull(object({ owner: string, until: string })),
    claims: listOf(claimShape),
    not_listed_because: listOf(string),
    attempts: listOf(
      object({
        attempted_at: moment,
        result: word('verified', 'absent', 'failed'),
        reason: orNull(string),
        duration_ms: number,
      }),
    ),
  }),
  command: {
    text(status) {
      const { discovery_method: via, manager_domain: manager, lease, pending_pointer: pending } = status
      const route = via === null ? 'none' : `${via}${manager ? ` by ${manager}` : ''}`
      return [
        `${status.domain}: serves ${status.serves}, route ${route}, next refresh ${status.next_attempt_at}`,
        ...(lease === null ? [] : [`being refreshed by ${describeHolder(lease.owner)} until ${lease.until}`]),
        ...(pending === null ? [] : [`a changed pointer waits: ${pending} (crawl --accept-pointer adopts it)`]),
        ...status.not_listed_because.map((reason) => `not listed: ${reason}`),
        ...table(
          ['attempt', 'result', 'ms', 'reason'],
          status.attempts.map((each) => [each.attempted_at, each.result, String(each.duration_ms), each.reason ?? '']),
        ),
      ]
    },
  },
  run: (context, { domain }) => publisherStatus(context, domain),
})

/** A visit decides nothing, so it leaves no audit entry; a name that joins the crawl list does. The command line has a crawl that shows how far it is. */
export const crawlPublisher = defineAct({
  ...OF_DEPLOYMENT,
  name: 'directory.crawl',
  route: 'POST /deployment/directory/publishers/{domain}/crawl',
  id: 'crawlPublisher',
  changes: false,
  summary: 'Refreshes a publisher now.',
  fields: { domain: DOMAIN, accept_pointer: flag('adopt a changed authoritative_location at once') },
  answer: object({
    remaining: about(
      'publishers that are due and were not refreshed, because another crawler holds them or because this one was stopped',
      listOf(
        object({
          domain: string,
          owner: about('null when no crawler holds it', orNull(string)),
          until: about('from then on another crawler may take it', orNull(string)),
        }),
      ),
    ),
    done: integer,
    failed: about('the file could not be fetched or is not usable', integer),
    absent: about('there is no file, which is an answer too', integer),
  }),
  async run(context, { domain, accept_pointer: acceptPointer = false }) {
    // The answer says what failed: nothing is left for the log. It waits for no other crawler, so none refreshes a publisher in its place.
    const request = { domain, acceptPointer, waitForLeases: false, log: { warn: () => undefined } }
    const { elsewhere: _none, ...answer } = await crawlPublishers(context, request)
    return answer
  },
})

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

/** The first page of names; its cursor is its last name. */
async function firstPage<Row extends { readonly publisher_domain: string }>(pages: AsyncGenerator<readonly Row[]>) {
  const rows: Row[] = []
  for await (const page of pages) {
    rows.push(...page)
    if (rows.length > PAGE) break
  }
  const shown = rows.slice(0, PAGE)
  return list(shown, rows.length > PAGE ? (shown.at(-1)?.publisher_domain ?? null) : null)
}

function counted(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([name, rows]) => `${rows} ${name}`)
  return parts.join(', ') || 'none'
}
