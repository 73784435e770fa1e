export const busyCode = 5;
export const readOnlyCode = 8;
export const ioErrorCode = 10;
export const cannotOpenCode = 14;
export const constraintCode = 19;
export const notDatabaseCode = 26;

/** Returns the code of an error of SQLite without its details. */
export const primaryCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) % 256;

export const isBusy = (error: unknown) => primaryCode(error) === busyCode;

/** How long a process waits before it tries again to get a lock. */
export const retryDelayMs = () => 1 + Math.random() * 9;
