import type { AdminRole } from '../../domain/identity/admin-role.ts'

export interface PeopleTables {
  /** People of the publishers; their names are unique over the deployment. */
  people: {
    person_id: string
    username: string
    name: string
    password_hash: string
    /** For every publisher; null: those of person_roles alone. */
    role: AdminRole | null
    created_at: string
    revoked_at: string | null
  }
  person_roles: {
    person_id: string
    tenant_id: string
    role: AdminRole
  }
}

export interface InvitationTables {
  /** Links by which people choose a user name and a password, once. Only a hash of the token is stored. */
  person_invitations: {
    token_hash: string
    invitation_id: string
    /** null: for every publisher. */
    tenant_id: string | null
    role: AdminRole
    created_at: string
    expires_at: string
  }
}

export interface PersonSessionTables {
  /** Who is signed in to the console. Only a hash of the token is stored. */
  person_sessions: {
    token_hash: string
    session_id: string
    person_id: string
    browser: string
    address: string
    created_at: string
    used_at: string
    expires_at: string
  }
}
