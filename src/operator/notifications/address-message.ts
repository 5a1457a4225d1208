import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { NotificationDocument } from '../../domain/notification/notification.ts'
import { mayBeTold } from '../../domain/people/person.ts'
import type { Attachment } from '../../features/notifications/send-mail.ts'
import type { Outgoing } from '../../features/notifications/send-notification.ts'
import { addressPlace, findChannel } from '../../store/notification/notification-channels.ts'
import type { LeasedMessage } from '../../store/notification/notification-outbox.ts'
import { findPerson } from '../../store/people/people.ts'
import { findReportFiles } from '../../store/saved-report/report-files.ts'
import type { OperatorContext } from '../operator-context.ts'
import { REPORT_TYPES } from '../reports/report-csv.ts'
import { frameOf } from './test-channel.ts'

/** A message with the address that its person has now; undefined when they have removed the channel or left the publisher. */
export async function addressMessage(context: OperatorContext, message: LeasedMessage): Promise<Outgoing | undefined> {
  const { tenantId, personId } = message
  const channel = await findChannel(context.store.read, tenantId, personId, message.channel)
  if (!channel || !mayBeTold(await findPerson(context.store.read, personId), tenantId)) return undefined
  const { box } = await context.services.notifications()
  const address = box.open(channel.address, addressPlace(channel))
  const attachments = message.reportFile === undefined ? [] : await attachmentsOf(context, tenantId, message.reportFile)
  const document = message.channel === 'webhook' ? message.document : await linkedDocument(context, message)
  return { ...message, document, address, frame: await frameOf(context, tenantId), attachments }
}

/** Days for which a link works to a decision that does not expire by itself. */
const LINK_DAYS = 14

/** The document with sealed links to its decisions: they work until the decision expires. What other items are about stays there, and so do their links. */
async function linkedDocument(
  { services, clock }: OperatorContext,
  { document }: Pick<LeasedMessage, 'document'>,
): Promise<NotificationDocument> {
  const links = await services.decisionLinks()
  const latest = clock().getTime() + LINK_DAYS * DAY_MS
  const items = document.items.map((item) => {
    if (item.kind !== 'waiting' && item.kind !== 'expiring') return item
    const expiresAt = item.expiresAt === undefined ? latest : Date.parse(item.expiresAt)
    return { ...item, path: links.pathOf({ path: item.path, expiresAt }) }
  })
  return { ...document, items }
}

/** The files of a report, as many as fit into a mail. */
async function attachmentsOf({ store }: OperatorContext, tenantId: string, fileId: string): Promise<readonly Attachment[]> {
  const files = await findReportFiles(store.read, tenantId, fileId)
  if (!files) return []
  const { name, csv, xlsx } = files
  return [
    ...(csv === undefined ? [] : [{ name: `${name}.csv`, type: REPORT_TYPES.csv, content: Buffer.from(csv) }]),
    ...(xlsx === undefined ? [] : [{ name: `${name}.xlsx`, type: REPORT_TYPES.xlsx, content: xlsx }]),
  ]
}
