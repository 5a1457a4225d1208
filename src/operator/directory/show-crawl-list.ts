import { EXCLUSIONS } from '../../domain/directory/crawled-publisher.ts'
import { defineAct } from '../act.ts'
import { CURSOR } from '../fields.ts'
import { about, integer, list, mapOf, moment, named, object, pageOf, string, word } from '../shape.ts'
import { OF_DEPLOYMENT, publisherShape } from './publisher-shapes.ts'
import { crawlListPages, exclusionPages, readStats } from './read-directory.ts'

// Several acts in one file: they ask the same system.

/** Rows of a page of a list. */
const PAGE = 1_000

export const readDirectoryStats = defineAct({
  ...OF_DEPLOYMENT,
  name: 'directory.stats',
  route: 'GET /deployment/directory',
  id: 'readDirectoryStats',
  summary: 'How many publishers, agents and rows the directory holds.',
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
          word(...EXCLUSIONS),
        ),
        reason: string,
        excluded_at: moment,
      }),
    ),
  ),
  run: (context, { cursor }) => firstPage(exclusionPages(context, cursor)),
})

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
