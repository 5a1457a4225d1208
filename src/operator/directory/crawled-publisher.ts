import { ATTEMPT_RESULTS } from '../../domain/directory/freshness.ts'
import { defineAct } from '../act.ts'
import { flag } from '../fields.ts'
import { about, integer, listOf, moment, number, object, orNull, string, word } from '../shape.ts'
import { table } from '../text-table.ts'
import { crawlPublishers } from './crawl-publishers.ts'
import { describeHolder } from './describe-leases.ts'
import { claimShape, DOMAIN, method, OF_DEPLOYMENT, serves } from './publisher-shapes.ts'
import { publisherStatus } from './read-directory.ts'

// Several acts in one file: they list, change and remove the same thing.

/** What the directory knows of a publisher. */
export const crawlMembers = {
  domain: string,
  serves,
  discovery_method: method,
  manager_domain: orNull(string),
  pending_pointer: orNull(string),
  next_attempt_at: moment,
  claims: listOf(claimShape),
  not_listed_because: listOf(string),
  attempts: listOf(
    object({
      attempted_at: moment,
      result: word(...ATTEMPT_RESULTS),
      reason: orNull(string),
      duration_ms: number,
    }),
  ),
}

export const showCrawledPublisher = defineAct({
  ...OF_DEPLOYMENT,
  name: 'directory.status',
  route: 'GET /deployment/directory/publishers/{domain}',
  id: 'showCrawledPublisher',
  summary: 'What the directory knows of a publisher, and the results of its last refreshes.',
  fields: { domain: DOMAIN },
  answer: object({ ...crawlMembers, lease: orNull(object({ owner: string, until: string })) }),
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
