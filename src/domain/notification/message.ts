import type { NotificationDocument, NotificationItem } from './notification.ts'

/** Where the links of a message lead, and who sends it. */
export interface MessageFrame {
  /** Name of the publisher. */
  readonly publisher: string
  /** Address of the console without a trailing slash, e.g. `https://ads.example.com/console`. */
  readonly consoleUrl: string
  /** Where people choose their notifications. */
  readonly channelsUrl: string
}

const TITLES: Readonly<Record<NotificationItem['kind'], string>> = {
  waiting: 'needs a decision',
  expiring: 'expires soon',
  underdelivery: 'delivers less than planned',
  drift: 'was changed at the ad server',
  webhook_failed: 'was given up',
  report_failed: 'was not sent',
  promise_broken: 'was found broken',
  report: 'report',
  account: 'your account',
  test: 'test',
}

/** Subject line: the sentence of a single item is in the body. Plain text without line breaks. */
export function subjectOf({ items, more, isDigest }: NotificationDocument, { publisher }: MessageFrame): string {
  const count = items.length + more
  const [first] = items
  const what =
    count === 1 && first
      ? oneLine(first.title ?? (first.kind === 'test' ? 'test of notifications' : `${first.subject} ${TITLES[first.kind]}`))
      : `${count} things need attention`
  return `${oneLine(publisher)}: ${isDigest ? 'daily summary, ' : ''}${what}`.slice(0, 200)
}

/** The body of a mail, plain text: each item with the address of its page, and why the mail came. */
export function mailText(
  { items, more, isDigest }: NotificationDocument,
  { publisher, consoleUrl, channelsUrl }: MessageFrame,
): string {
  const entries = items.flatMap(({ text, path }) => [oneLine(text), `${consoleUrl}${path}`, ''])
  const why = isDigest ? 'You get this summary once a day' : 'You get this mail at once'
  const isReport = items.some(({ kind }) => kind === 'report')
  const isOwn = items.some(({ kind }) => kind === 'account')
  const footer = isReport
    ? `You get this report because somebody at ${oneLine(publisher)} named you. Its page has who gets it, and when; where your mail goes: ${channelsUrl}`
    : isOwn
      ? `You get this mail because it is about your own account. Where your mail goes: ${channelsUrl}`
      : `${why} because you work for ${oneLine(publisher)}. Choose what you are told, and when: ${channelsUrl}`
  return [...entries, ...moreLine(more).flatMap((line) => [line, `${consoleUrl}/`, '']), '-- ', footer, ''].join('\n')
}

/** Items that have a button; a message of Slack has at most 50 blocks (Slack: Block Kit, "Blocks"). */
const MOST_BUTTONS = 20
/** Longest text of a section (Slack: Block Kit, "Section block"). */
const LONGEST_SECTION = 3000

/** A part of a Slack message: a text, and a button that opens an address. */
interface SlackSection {
  readonly type: 'section'
  readonly text: { readonly type: 'mrkdwn'; readonly text: string }
  readonly accessory?: {
    readonly type: 'button'
    readonly text: { readonly type: 'plain_text'; readonly text: string }
    readonly url: string
  }
}

/** The document of a Slack-compatible incoming webhook: `blocks` with a button for each item, and all of it as `text` in mrkdwn, for receivers that show no blocks. */
export function slackBody(
  document: NotificationDocument,
  frame: MessageFrame,
): { readonly text: string; readonly blocks: readonly SlackSection[] } {
  const { items, more } = document
  const head = `*${escapeSlack(subjectOf(document, frame))}*`
  const entries = items.map(({ kind, text, path }) => ({
    said: escapeSlack(oneLine(text)),
    url: `${frame.consoleUrl}${path}`,
    label: kind === 'waiting' || kind === 'expiring' ? 'Decide' : 'Open',
  }))
  const lines = entries.map(({ said, url }) => `• ${said} <${url}|open>`)
  const rest = more + Math.max(0, items.length - MOST_BUTTONS)
  return {
    text: [head, ...lines, ...moreLine(more)].join('\n'),
    blocks: [
      section(head),
      ...entries.slice(0, MOST_BUTTONS).map(({ said, url, label }) => ({
        ...section(said),
        accessory: { type: 'button' as const, text: { type: 'plain_text' as const, text: label }, url },
      })),
      ...moreLine(rest).map(section),
    ],
  }
}

function section(text: string): SlackSection {
  return { type: 'section', text: { type: 'mrkdwn', text: text.slice(0, LONGEST_SECTION) } }
}

/** The document of a signed webhook; its form is `schemas/notification-webhook.json`. */
export function webhookBody(
  { items, more, isDigest }: NotificationDocument,
  { consoleUrl }: MessageFrame,
  facts: { readonly deliveryId: string; readonly tenantId: string; readonly createdAt: string },
) {
  return {
    idempotency_key: facts.deliveryId,
    type: 'notification' as const,
    tenant: facts.tenantId,
    created_at: facts.createdAt,
    digest: isDigest,
    items: items.map(({ kind, subject, text, path, at, expiresAt }) => ({
      kind,
      subject,
      text,
      url: `${consoleUrl}${path}`,
      at,
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
    })),
    more,
  }
}

function moreLine(more: number): readonly string[] {
  return more > 0 ? [`and ${more} more`] : []
}

/** Slack takes these three as control characters (Slack: Formatting text for app surfaces, "Escaping text"). */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** No control characters: they could begin another header or line. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ')
}
