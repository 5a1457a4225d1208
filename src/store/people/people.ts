import type { AdminRole } from '../../domain/identity/admin-role.ts'
import type { Person } from '../../domain/people/person.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import type { PeopleTables } from './rows.ts'

export interface NewPerson {
  readonly personId: string
  readonly username: string
  readonly name: string
  readonly passwordHash: string
}

/** What a person may do: for one publisher, or for all. */
export interface RoleGrant {
  readonly tenantId: string | undefined
  readonly role: AdminRole
}

/** Adds a person without a role. Throws INVALID_REQUEST when the user name is taken. */
export async function insertPerson(tx: Db, person: NewPerson, now: Date): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('people')
    .values({
      person_id: person.personId,
      username: person.username,
      name: person.name,
      password_hash: person.passwordHash,
      role: null,
      created_at: now.toISOString(),
      revoked_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n)
    throw new AdcpError('INVALID_REQUEST', `the user name ${person.username} is taken; choose another one`, { field: 'username' })
}

/** Gives a person a role in place of the one that they have there. */
export async function saveRole(tx: Db, personId: string, { tenantId, role }: RoleGrant): Promise<void> {
  if (tenantId === undefined) {
    await tx.updateTable('people').set({ role }).where('person_id', '=', personId).execute()
    return
  }
  await tx
    .insertInto('person_roles')
    .values({ person_id: personId, tenant_id: tenantId, role })
    .onConflict((conflict) => conflict.columns(['person_id', 'tenant_id']).doUpdateSet({ role }))
    .execute()
}

/** Takes the role for one publisher away. */
export async function deleteRole(tx: Db, personId: string, tenantId: string): Promise<void> {
  await tx.deleteFrom('person_roles').where('person_id', '=', personId).where('tenant_id', '=', tenantId).execute()
}

export async function setPersonRevoked(tx: Db, personId: string, revokedAt: Date | undefined): Promise<void> {
  const at = revokedAt?.toISOString() ?? null
  await tx.updateTable('people').set({ revoked_at: at }).where('person_id', '=', personId).execute()
}

export async function setPasswordHash(tx: Db, personId: string, hash: string): Promise<void> {
  await tx.updateTable('people').set({ password_hash: hash }).where('person_id', '=', personId).execute()
}

/** Everybody, by user name. */
export async function listPeople(db: Db): Promise<Person[]> {
  const people = await db.selectFrom('people').selectAll().orderBy('username').execute()
  const roles = await db.selectFrom('person_roles').selectAll().execute()
  return people.map((row) =>
    personOf(
      row,
      roles.filter(({ person_id: id }) => id === row.person_id),
    ),
  )
}

export async function findPerson(db: Db, personId: string): Promise<Person | undefined> {
  const row = await db.selectFrom('people').selectAll().where('person_id', '=', personId).executeTakeFirst()
  return row && personOf(row, await rolesOf(db, personId))
}

/** A person who may sign in, with the hash of their password. */
export async function findPersonToSignIn(
  db: Db,
  username: string,
): Promise<(Person & { readonly passwordHash: string }) | undefined> {
  const row = await db
    .selectFrom('people')
    .selectAll()
    .where('username', '=', username)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row && { ...personOf(row, await rolesOf(db, row.person_id)), passwordHash: row.password_hash }
}

/** Whether anybody can sign in. */
export async function hasPeople(db: Db): Promise<boolean> {
  return (
    (await db.selectFrom('people').select('person_id').where('revoked_at', 'is', null).limit(1).executeTakeFirst()) !== undefined
  )
}

function rolesOf(db: Db, personId: string): Promise<PeopleTables['person_roles'][]> {
  return db.selectFrom('person_roles').selectAll().where('person_id', '=', personId).execute()
}

function personOf(row: PeopleTables['people'], roles: readonly PeopleTables['person_roles'][]): Person {
  return {
    personId: row.person_id,
    username: row.username,
    name: row.name,
    role: row.role ?? undefined,
    roles: new Map(roles.map(({ tenant_id: tenantId, role }) => [tenantId, role])),
    isActive: row.revoked_at === null,
  }
}
