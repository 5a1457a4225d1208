import {
  CHANNELS,
  channelSettings,
  NOTIFICATION_KINDS,
  type NotificationKind,
  type ShownChannel,
} from '../../operator/notifications/manage-channels.ts'
import { listOwnChannels, removeOwnChannel, setOwnChannel, testOwnChannel } from '../../operator/notifications/own-channels.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct } from '../do-act.ts'
import { storedFormRoute, withRefusal } from '../form-outcome.ts'
import { inputOf, written } from '../form-text.ts'
import { attribute, type Html, html } from '../html.ts'
import { zoneOf } from '../local-times.ts'
import { act, badge, choice, csrfField, field, heading } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm, sentTo, shownField } from '../shown-form.ts'

/** What the form of a channel calls its inputs; the address is written anew, and not shown in an input. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['kinds', 'Notify me of'],
  ['timing', 'When'],
  ['hour', 'Hour of the daily message'],
])
/** Where a person is notified, and of what: each their own. */
export const notificationRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/notifications', listOwnChannels, notificationsPage),
  storedFormRoute('/notifications/{channel}', setOwnChannel, {
    labels: LABELS,
    read: readChannel,
    save: saveChannel,
    again: withRefusal(notificationsPage),
  }),
  actRoute('POST', '/notifications/{channel}/test', testOwnChannel, sendTest),
  actRoute('POST', '/notifications/{channel}/remove', removeOwnChannel, endChannel),
]

const TITLES: Readonly<Record<string, string>> = { mail: 'Mail', slack: 'Slack', webhook: 'Signed webhook' }
const KIND_TITLES: Readonly<Record<NotificationKind, string>> = {
  waiting: 'Something needs a decision',
  expiring: 'A request expires soon',
  underdelivery: 'An order delivers less than planned',
  drift: 'An order was changed at the ad server',
  webhook_failed: 'A webhook to a buyer was given up',
  report_failed: 'A saved report was not sent by mail',
  promise_broken: 'A check of this agent found a broken promise of the protocol',
}
const HOURS = Array.from({ length: 24 }, (_empty, hour): [string, string] => [
  String(hour),
  `${String(hour).padStart(2, '0')}:00`,
])

async function notificationsPage(call: TenantCall): Promise<Answer> {
  const { items: own } = await doAct(call, listOwnChannels, {})
  const panels = CHANNELS.map((channel) =>
    channelPanel(
      call,
      channel,
      own.find((each) => each.channel === channel),
    ),
  )
  const lead =
    'When something needs you. Messages name buyers as you entered them and orders by their ids; they repeat no text of a buyer.'
  return page('Notifications', html`${heading('Notifications', undefined, lead)}<div class="columns">${panels}</div>`)
}

const DEFAULTS = { timing: 'at_once', hour: '7' }

/** The stored inputs of the form of a channel; empty for a channel that is not set up. */
function inputsOf(channel: Pick<ShownChannel, 'kinds' | 'timing' | 'digest_hour'> | undefined): Inputs {
  if (channel === undefined) return {}
  const { kinds, timing, digest_hour: hour } = channel
  return { kinds, timing, hour: hour === null ? DEFAULTS.hour : String(hour) }
}

function channelPanel(call: TenantCall, channel: string, present: ShownChannel | undefined): Html {
  const path = `${call.base}/notifications/${channel}`
  const stored = inputsOf(present)
  const sent = sentTo(call, path)
  const filled = present ? filledForm(sent, stored) : sent
  const isFirst = filled.size === 0
  const kinds = NOTIFICATION_KINDS.map(
    (kind) =>
      html`<label class="option"><input type="checkbox" name="kinds" value="${kind}"${attribute('checked', isFirst || filled.getAll('kinds').includes(kind))}> ${KIND_TITLES[kind]}</label>`,
  )
  const address = field(`address-${channel}`, channel === 'mail' ? 'Mail address' : 'Address', {
    name: 'address',
    value: sent.get('address') ?? '',
    type: channel === 'mail' ? 'email' : 'url',
    required: present === undefined,
    ...(present && { hint: `Now: ${present.address}. Empty: it stays.` }),
  })
  const timings = [
    ['at_once', 'At once'],
    ['digest', 'Once a day'],
  ] as const
  return html`<section class="panel"><h2>${TITLES[channel] ?? channel} ${present ? badge('on', 'good') : badge('off')}</h2>
${channel === 'mail' && call.operator.config.notifications.smtp === undefined && html`<p class="soft">No mail is sent yet: this deployment has no mail server (<code>notifications.smtp</code> in its configuration).</p>`}
<form method="post" action="${path}">${csrfField(call)}${present && shownField(stored)}${address}<fieldset><legend>Notify me of</legend>${kinds}</fieldset>
${choice(`timing-${channel}`, 'When', timings, filled.get('timing') ?? DEFAULTS.timing, 'timing')}
${choice(`hour-${channel}`, `Hour of the daily message, in ${zoneOf(call)}`, HOURS, filled.get('hour') ?? DEFAULTS.hour, 'hour')}
<button class="primary">Save</button></form>
${present && html`<p></p>${act(call, `${path}/test`, 'Send a test', { name: `Send a test by ${channel}` })} ${act(call, `${path}/remove`, 'Remove', { kind: 'danger', name: `Remove ${channel}` })}`}</section>`
}

/** Not by the act, which opens the sealed address: the key of that may be written first, and would wait for the transaction of the form. */
async function readChannel({ operator, tenantId, person: { username }, params }: TenantCall): Promise<Inputs> {
  const channel = CHANNELS.find((each) => each === params.channel)
  return inputsOf(channel && (await channelSettings(operator.store.read, { tenantId, username, channel })))
}

async function saveChannel(call: TenantCall, { changedOf }: SentForm): Promise<Answer> {
  const { params, form, base } = call
  const timing = form.get('timing') ?? undefined
  const { hour, ...others } = changedOf({
    kinds: form.getAll('kinds'),
    timing,
    hour: timing === 'digest' ? inputOf(form, 'hour', setOwnChannel.fields.digest_hour) : undefined,
  })
  await doAct(call, setOwnChannel, { channel: params.channel, address: written(form, 'address'), ...others, digest_hour: hour })
  return redirect(`${base}/notifications`, 'changed')
}

async function sendTest(call: TenantCall): Promise<Answer> {
  const { delivered, error } = await doAct(call, testOwnChannel, { channel: call.params.channel })
  if (delivered) return redirect(`${call.base}/notifications`, 'tested')
  throw new AdcpError('INVALID_REQUEST', `the test message did not arrive: ${error ?? 'no reason is given'}`)
}

async function endChannel(call: TenantCall): Promise<Answer> {
  await doAct(call, removeOwnChannel, { channel: call.params.channel })
  return redirect(`${call.base}/notifications`, 'removed')
}
