create role tracker login password 'change-me';
create database tracker owner tracker;
