import { CHANNELS, type Channel, NOTIFICATION_KINDS, type NotificationKind } from '../../domain/notification/notification.ts'
import { mayBeTold, type Person } from '../../domain/people/person.ts'
import { FetchFailure } from '../../platform/net/fetch-policy.ts'
import { checkPostAddress } from '../../platform/net/safe-post.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import {
  addressPlace,
  channelsOf,
  deleteChannel,
  findChannel,
  type NotificationChannel,
  saveChannel,
} from '../../store/notification/notification-channels.ts'
import { listPeople } from '../../store/people/people.ts'
import type { ActContext, Watching } from '../act.ts'
import { concealed } from '../changed-members.ts'
import { missingPerson } from '../missing-person.ts'
import type { OperatorContext } from '../operator-context.ts'
import { MAIL_ADDRESS } from '../text-form.ts'

export { CHANNELS, NOTIFICATION_KINDS, type NotificationKind }

/** When a channel is told: of each thing at once, or once a day of all. */
export const TIMINGS = ['at_once', 'digest'] as const

/** A person's channel. Addresses of webhooks are shown by their origin: what follows is a secret of the receiver. */
export interface ShownChannel {
  readonly username: string
  readonly channel: Channel
  readonly address: string
  readonly kinds: readonly NotificationKind[]
  readonly timing: (typeof TIMINGS)[number]
  /** Hour of the day in the publisher's time zone; null: at once. */
  readonly digest_hour: number | null
  readonly updated_at: string
}

/** Whose channel. */
export interface NamedChannel {
  readonly tenantId: string
  readonly username: string
  readonly channel: Channel
}

/** What a channel is to be. What is absent stays, or is the default of a new one: every kind, at once. */
export interface ChannelSettings extends NamedChannel {
  /** Mail address, or https URL; a new channel needs one. */
  readonly address?: string | undefined
  readonly kinds?: readonly NotificationKind[] | undefined
  readonly timing?: ShownChannel['timing'] | undefined
  /** 0 to 23, in the publisher's time zone; for `digest`. Default: 7. */
  readonly digestHour?: number | undefined
}

const DEFAULT_HOUR = 7
const MAIL = new RegExp(MAIL_ADDRESS.pattern, 'v')

/** Channels of the people of a publisher, of one of them when that is given. Throws REFERENCE_NOT_FOUND for an unknown person. */
export async function listChannels(
  context: OperatorContext,
  { tenantId, username }: { readonly tenantId: string; readonly username?: string | undefined },
): Promise<readonly ShownChannel[]> {
  const people = await listPeople(context.store.read)
  const person = username === undefined ? undefined : personNamed(people, tenantId, username)
  const channels = await channelsOf(context.store.read, tenantId, person?.personId)
  const names = new Map(people.map((each) => [each.personId, each.username]))
  return Promise.all(channels.map((channel) => shownChannel(context, channel, names.get(channel.personId) ?? '')))
}

/**
 * Adds or changes a person's channel. Throws REFERENCE_NOT_FOUND for a person without a role here, INVALID_REQUEST for an unknown channel or kind and
 * for an address that is refused: no mail address, not https, reserved.
 */
export async function writeChannel(context: ActContext, settings: ChannelSettings): Promise<ShownChannel> {
  const { store } = context
  const { tenantId, username, channel } = settings
  const { personId } = personNamed(await listPeople(context.store.read), tenantId, username)
  const before = await findChannel(context.store.read, tenantId, personId, channel)
  const place = addressPlace({ tenantId, personId, channel })
  const { box } = await context.services.notifications()
  if (settings.address === undefined && !before)
    throw new AdcpError('INVALID_REQUEST', `a new ${channel} channel needs an address`, { field: 'address' })
  if (settings.address !== undefined) await requireAddress(context, channel, settings.address)
  const isKept = before && (settings.address === undefined || box.open(before.address, place) === settings.address)
  const after: NotificationChannel = {
    tenantId,
    personId,
    channel,
    address: before && isKept ? before.address : box.seal(settings.address ?? '', place),
    kinds: settings.kinds === undefined ? (before?.kinds ?? NOTIFICATION_KINDS) : kindsOf(settings.kinds),
    digestHour: digestHourOf(settings, before),
    updatedAt: context.clock().toISOString(),
  }
  await store.transaction((tx) => saveChannel(tx, after))
  return shownChannel(context, after, username)
}

/** What a change of a channel changes, for the audit log; undefined while there is none. */
export async function watchedChannel(
  tx: Db,
  { tenantId }: Watching,
  named: Omit<NamedChannel, 'tenantId'>,
): Promise<object | undefined> {
  const found = await findNamed(tx, { tenantId, ...named })
  return found && { ...settingsOf(found), address: concealed(found.address) }
}

/** What a channel is set to, without its address, which the store holds encrypted; undefined while there is none. */
export async function channelSettings(db: Db, named: NamedChannel): Promise<ReturnType<typeof settingsOf> | undefined> {
  const found = await findNamed(db, named)
  return found && settingsOf(found)
}

async function findNamed(db: Db, { tenantId, username, channel }: NamedChannel): Promise<NotificationChannel | undefined> {
  const person = (await listPeople(db)).find((each) => each.username === username)
  return person && (await findChannel(db, tenantId, person.personId, channel))
}

function settingsOf(channel: NotificationChannel) {
  return { kinds: channel.kinds, ...timingOf(channel) }
}

/** Removes a person's channel; what is written already still goes out. Throws REFERENCE_NOT_FOUND. */
export async function eraseChannel(context: ActContext, { tenantId, username, channel }: NamedChannel): Promise<void> {
  const { store } = context
  const { personId } = personNamed(await listPeople(context.store.read), tenantId, username)
  if (!(await findChannel(context.store.read, tenantId, personId, channel))) throw noChannel(username, channel)
  await store.transaction((tx) => deleteChannel(tx, tenantId, personId, channel))
}

/** A channel with its address in the clear, for sending. Throws REFERENCE_NOT_FOUND. */
export async function openChannel(context: OperatorContext, named: NamedChannel) {
  const { channel } = named
  const { personId } = personNamed(await listPeople(context.store.read), named.tenantId, named.username)
  const found = await findChannel(context.store.read, named.tenantId, personId, channel)
  if (!found) throw noChannel(named.username, channel)
  const { box } = await context.services.notifications()
  return { ...found, address: box.open(found.address, addressPlace(found)) }
}

/** The active person with a role for a publisher. Throws REFERENCE_NOT_FOUND. */
export function personNamed(people: readonly Person[], tenantId: string, username: string): Person {
  const person = people.find((each) => each.username === username)
  if (person && mayBeTold(person, tenantId)) return person
  throw missingPerson(username)
}

function kindsOf(chosen: readonly NotificationKind[]): readonly NotificationKind[] {
  if (chosen.length === 0) throw new AdcpError('INVALID_REQUEST', 'no kind of notification is given', { field: 'kinds' })
  return NOTIFICATION_KINDS.filter((kind) => chosen.includes(kind))
}

function digestHourOf({ timing, digestHour }: ChannelSettings, before: NotificationChannel | undefined): number | undefined {
  if (timing === 'at_once') return undefined
  if (timing === undefined) return digestHour ?? before?.digestHour
  return digestHour ?? before?.digestHour ?? DEFAULT_HOUR
}

async function requireAddress({ config }: OperatorContext, channel: Channel, address: string): Promise<void> {
  if (channel === 'mail') {
    if (MAIL.test(address)) return
    throw new AdcpError('INVALID_REQUEST', `address must be ${MAIL_ADDRESS.words}`, { field: 'address' })
  }
  try {
    await checkPostAddress(address, config.mode === 'development')
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error
    throw new AdcpError('INVALID_REQUEST', `${error.message}: send an https URL of a public host`, { field: 'address' })
  }
}

async function shownChannel(
  { services }: OperatorContext,
  channel: NotificationChannel,
  username: string,
): Promise<ShownChannel> {
  const { box } = await services.notifications()
  const address = box.open(channel.address, addressPlace(channel))
  return {
    username,
    channel: channel.channel,
    address: channel.channel === 'mail' ? address : `${new URL(address).origin}/…`,
    ...settingsOf(channel),
    updated_at: channel.updatedAt,
  }
}

function timingOf({ digestHour }: NotificationChannel): Pick<ShownChannel, 'timing' | 'digest_hour'> {
  return { timing: digestHour === undefined ? 'at_once' : 'digest', digest_hour: digestHour ?? null }
}

function noChannel(username: string, channel: Channel): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `${username} has no ${channel} channel here`, { field: 'channel' })
}
