import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreUnavailable, type Transaction } from '../../store/database.ts';
import { freshDatabase, storeNames } from '../../../testing/server-fixtures.ts';

const insert = (name: string): Transaction<unknown[]> =>
  function* () {
    yield ['insert into names (name) values ($1)', [name]];
    return yield ['select name from names order by name'];
  };

describe.each(storeNames)('transactions, %s', (store) => {
  async function openWithTable() {
    const database = (await freshDatabase(store))();
    onTestFinished(() => database.close());
    await database.query('create table names (name text primary key)');
    const names = () => database.query('select name from names order by name');
    return { database, names };
  }

  test('an error of the caller stores nothing and is passed on', async () => {
    const { database, names } = await openWithTable();
    const error = new Error('not allowed');
    const refused = database.transact(function* () {
      yield ['insert into names (name) values ($1)', ['Ada']];
      throw error;
    });
    await expect(refused).rejects.toBe(error);
    expect(await names()).toEqual([]);
    expect(await database.transact(insert('Grace'))).toEqual([{ name: 'Grace' }]);
  });

  test('an error of the database stores nothing and is a StoreUnavailable', async () => {
    const { database, names } = await openWithTable();
    const failed = database.transact(function* () {
      yield ['insert into names (name) values ($1)', ['Ada']];
      yield ['insert into names (name) values ($1)', ['Ada']];
    });
    await expect(failed).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await names()).toEqual([]);
    expect(await database.transact(insert('Grace'))).toEqual([{ name: 'Grace' }]);
  });
});
