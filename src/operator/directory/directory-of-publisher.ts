import { publicOrigin } from '../../config/config.ts'
import { parseLookup } from '../../domain/directory/lookup-query.ts'
import type { PublisherEntry } from '../../features/directory/envelope.ts'
import { readEnvelope } from '../../features/directory/lookup.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { createDirectoryReader } from '../../store/directory/directory-lookup.ts'
import type { OperatorContext } from '../operator-context.ts'
import { publisherStatus } from './read-directory.ts'

export type PublisherCrawl = Awaited<ReturnType<typeof publisherStatus>>

/** Publishers of one answer. */
const SHOWN_PUBLISHERS = 100

/** What the directory knows of a publisher; undefined when its domain is not on the crawl list. */
export async function crawlOf(context: OperatorContext, domain: string): Promise<PublisherCrawl | undefined> {
  return publisherStatus(context, domain).catch(undefinedWhenUnknown)
}

/** Publishers whose files authorise the agent of this deployment, the first 100 by domain. */
export async function publishersThatAuthorise(context: OperatorContext): Promise<readonly PublisherEntry[]> {
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
