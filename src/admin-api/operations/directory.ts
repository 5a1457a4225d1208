import { addToCrawlList, takeOffCrawlList, unblockDomain } from '../../operator/directory/change-crawl-list.ts'
import { crawlPublishers } from '../../operator/directory/crawl-publishers.ts'
import {
  crawlListPages,
  exclusionPages,
  explainListing,
  publisherStatus,
  readStats,
} from '../../operator/directory/read-directory.ts'
import { flag, oneOf, required, text, texts } from '../../operator/fields.ts'
import { list } from '../../operator/shape.ts'
import { snakeMembers } from '../../operator/snake-members.ts'
import { type AdminOperation, deploymentOperation } from '../operation.ts'

const PAGE = 1_000
const CURSOR = { cursor: text('next_cursor of the page before') }

export const directoryOperations: readonly AdminOperation[] = [
  deploymentOperation('GET /deployment/directory', 'readDirectoryStats', {
    summary: 'How much the directory holds.',
    fields: {},
    run: (context) => readStats(context),
  }),
  deploymentOperation('GET /deployment/directory/publishers', 'listCrawlList', {
    summary: 'The crawl list in byte order of the domains, by pages of 1,000.',
    fields: CURSOR,
    run: (context, { values }) => pageOf(crawlListPages(context, values.cursor)),
  }),
  deploymentOperation('POST /deployment/directory/publishers', 'addToCrawlList', {
    summary: 'Puts publishers on the crawl list, due at once.',
    fields: { domains: required(texts('their domains')) },
    run: (context, { values: { domains } }) => addToCrawlList(context, domains),
  }),
  deploymentOperation('GET /deployment/directory/publishers/{domain}', 'showCrawledPublisher', {
    summary: 'What is known of a publisher, and how its last refreshes went.',
    fields: {},
    run: (context, { params }) => publisherStatus(context, params.domain),
  }),
  deploymentOperation('POST /deployment/directory/publishers/{domain}/crawl', 'crawlPublisher', {
    summary: 'Refreshes a publisher now.',
    fields: { accept_pointer: flag('adopt a changed authoritative_location at once') },
    // The answer says what failed: nothing is left for the log.
    run: (context, { params, values: { accept_pointer: acceptPointer = false } }) =>
      crawlPublishers(context, { domain: params.domain, acceptPointer, waitForLeases: false, log: { warn: () => undefined } }),
  }),
  deploymentOperation('DELETE /deployment/directory/publishers/{domain}', 'takeOffCrawlList', {
    summary: 'Takes a publisher off the crawl list with every row about it.',
    fields: {
      kind: oneOf(['removed', 'blocked'], 'blocked: until it is unblocked; default: removed'),
      reason: text('why, for the exclusion list'),
    },
    run: async (context, { params, values: { kind = 'removed', reason = '' } }) => ({
      domain: await takeOffCrawlList(context, params.domain, { kind, reason }),
      kind,
    }),
  }),
  deploymentOperation('GET /deployment/directory/exclusions', 'listExclusions', {
    summary: 'Names that were dropped, removed or blocked, by pages of 1,000.',
    fields: CURSOR,
    run: (context, { values }) => pageOf(exclusionPages(context, values.cursor)),
  }),
  deploymentOperation('POST /deployment/directory/exclusions/{domain}/unblock', 'unblockDomain', {
    summary: 'Lets a blocked name be added and mentioned again.',
    fields: {},
    run: async (context, { params }) => ({ domain: await unblockDomain(context, params.domain) }),
  }),
  deploymentOperation('GET /deployment/directory/explain', 'explainListing', {
    summary: 'Why the directory lists an agent for a publisher or does not, and what the publisher’s own file says now.',
    fields: {
      agent_url: required(text('the agent')),
      domain: required(text('the publisher')),
      offline: flag('leave the publisher’s own file out'),
    },
    async run(context, { values: { agent_url: agentUrl, domain, offline = false } }) {
      const { source, agent, ...explained } = await explainListing(context, { agentUrl, domain, offline })
      return { agent_url: agent, ...explained, source: source ? snakeMembers(source) : null }
    },
  }),
]

/** The first page of names; its cursor is its last name. */
async function pageOf<Row extends { readonly publisher_domain: string }>(pages: AsyncGenerator<readonly Row[]>) {
  const rows: Row[] = []
  for await (const page of pages) {
    rows.push(...page)
    if (rows.length > PAGE) break
  }
  const shown = rows.slice(0, PAGE)
  return list(shown, rows.length > PAGE ? (shown.at(-1)?.publisher_domain ?? null) : null)
}
