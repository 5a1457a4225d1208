import type { Db } from '../../store/database.ts'
import { type Act, type ActContext, definePersonAct, type Watching } from '../act.ts'
import type { Values } from '../fields.ts'
import { READERS } from '../roles.ts'
import { list } from '../shape.ts'
import { CHANNEL, CHANNEL_SETTINGS, removePersonChannel, setPersonChannel, testPersonChannel } from './channel-acts.ts'
import { listChannels, watchedChannel } from './manage-channels.ts'

// Several acts in one file: they list, change and remove the same thing.

/** What everybody does with their own channels. It is logged as when an administrator does it for them. */
export const listOwnChannels = definePersonAct({
  name: 'notifications.list-own',
  roles: READERS,
  changes: false,
  fields: {},
  run: async (context) => list(await listChannels(context, { tenantId: context.tenantId, username: personOf(context) })),
})

export const setOwnChannel = definePersonAct({
  name: 'notifications.set-own',
  roles: READERS,
  changes: true,
  fields: { ...CHANNEL, ...CHANNEL_SETTINGS },
  watch: watchedOwn,
  run: (context, values) => setPersonChannel.run(context, { ...values, ...asOwn(context, setPersonChannel) }),
})

export const removeOwnChannel = ofOwnChannel('notifications.remove-own', removePersonChannel)
export const testOwnChannel = ofOwnChannel('notifications.test-own', testPersonChannel)

function watchedOwn(tx: Db, context: Watching, { channel }: Pick<Values<typeof CHANNEL>, 'channel'>) {
  return watchedChannel(tx, context, { username: personOf(context), channel })
}

/** What an administrator does with a channel of somebody, done by whose it is. */
function ofOwnChannel<A extends object>(
  name: string,
  act: Pick<Act, 'name'> & {
    readonly watch?: unknown
    run(context: ActContext, values: Values<typeof CHANNEL> & { readonly username: string }): Promise<A>
  },
) {
  return definePersonAct({
    name,
    roles: READERS,
    changes: true,
    fields: CHANNEL,
    ...(act.watch !== undefined && { watch: watchedOwn }),
    run: (context, values) => act.run(context, { ...values, ...asOwn(context, act) }),
  })
}

/** Who acts, in place of the person that an act of administrators names; it is logged under the name of that act. */
function asOwn(context: ActContext, { name }: Pick<Act, 'name'>): { readonly username: string } {
  context.noteName(name)
  return { username: personOf(context) }
}

/** The user name of the person who acts. Throws an Error where no person of the console acts. */
function personOf({ actor }: Pick<ActContext, 'actor'>): string {
  const [, username] = /^person:(.+)$/.exec(actor.who) ?? []
  if (username === undefined) throw new Error(`${actor.who} is no person with channels`)
  return username
}
